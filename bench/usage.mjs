// What processes use, as Linux tells it; elsewhere nothing is told.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/**
 * The processes and all of their children together.
 *
 * @returns cpuSeconds since their start, and memoryMiB with shared pages counted once; null on systems without /proc.
 */
export function usageOf(pids) {
  if (!existsSync('/proc/self/smaps_rollup')) return null;
  const parents = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = statOf(Number(name));
    if (stat !== null) parents.set(Number(name), stat);
  }
  const isOurs = (pid) =>
    pids.includes(pid) || (parents.has(pid) && isOurs(parents.get(pid).parent));
  const ours = [...parents.keys()].filter(isOurs);
  const total = (of) => ours.reduce((sum, pid) => sum + of(pid), 0);
  return {
    cpuSeconds: total((pid) => parents.get(pid).ticks) / ticksPerSecond,
    memoryMiB: total(memoryKiB) / 1024,
  };
}

function statOf(pid) {
  const line = read(`/proc/${pid}/stat`);
  if (line === null) return null;
  // The second field is a name in brackets, which may hold anything.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number);
  // With the children that it has outlived.
  return { parent, ticks: user + system + Number(fields[13]) + Number(fields[14]) };
}

function memoryKiB(pid) {
  return Number(/^Pss:\s*(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0);
}

/** Null where the process has gone meanwhile. */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
