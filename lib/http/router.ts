import type { RouteMethods } from './route';

/** A route file of `app/api`, by its folder in Next's notation. */
export interface RouteFile {
  readonly file: string;
  readonly methods: RouteMethods;
}

export type Router = (path: string) => RouteMethods;

/**
 * Finds route files by path as Next does: words before `[parameters]`, `[...path]` for all that is below a folder, and
 * `[[...path]]` for what nothing else takes.
 */
export function createRouter(files: readonly RouteFile[]): Router {
  const rest = files.find(({ file }) => file.endsWith('/[[...path]]'))?.methods;
  if (rest === undefined) throw new Error('There is no route for what no other takes');
  const exact = files
    .filter(({ file }) => !file.includes('[...'))
    .map(({ file, methods }) => ({ parts: file.split('/'), methods }))
    .sort((one, other) => parameterCount(one.parts) - parameterCount(other.parts));
  const below = files
    .filter(({ file }) => file.endsWith('/[...path]'))
    .map(({ file, methods }) => ({ folder: file.slice(0, -'[...path]'.length), methods }));
  return (path) => {
    const parts = path.split('/');
    const found =
      exact.find((candidate) => fits(candidate.parts, parts)) ??
      below.find(({ folder }) => path.length > folder.length && path.startsWith(folder));
    return found?.methods ?? rest;
  };
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  if (pattern.length !== parts.length) return false;
  return pattern.every((part, index) => part.startsWith('[') || part === parts[index]);
}

function parameterCount(parts: readonly string[]): number {
  return parts.filter((part) => part.startsWith('[')).length;
}
