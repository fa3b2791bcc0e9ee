/** Stands for the service's own origin while a path is read; no browser ever asks it for anything. */
const base = 'https://own.invalid';
const charactersMax = 4_000;

/**
 * Where a person goes on after signing in: a page of this service, or null for anything else. What is answered is what the
 * URL parser made of it, since that is what a browser would follow: it drops tabs and newlines, takes `\` for `/`, and
 * `/.//host` for `//host`.
 */
export function returnPath(to: string | null | undefined): string | null {
  if (to === null || to === undefined || to.length > charactersMax) return null;
  if (!to.startsWith('/') || !URL.canParse(to, base)) return null;
  const { origin, pathname, search, hash } = new URL(to, base);
  if (origin !== base || pathname.startsWith('//')) return null;
  return isPage(pathname) ? `${pathname}${search}${hash}` : null;
}

/** The API's answers are no pages, and the entrance would lead to itself. */
function isPage(pathname: string): boolean {
  return !/^\/(?:api|sign-in|set-up)(?:\/|$)/.test(pathname);
}
