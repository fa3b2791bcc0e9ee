// What each worker held, from when to when, in its own words: a file of JSON lines, which outlives a killed process.
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';

/** @param tell is given the name of each thing that is counted, for the line of progress. */
export function openRecords(file, { worker, clock, tell }) {
  const descriptor = openSync(file, 'a');
  // Synchronously: the line is with the kernel before the work goes on, so a crash can't swallow it.
  const write = (line) => writeSync(descriptor, `${JSON.stringify(line)}\n`);
  const nowMs = () => clock.toShared(performance.now());
  write({ kind: 'started', worker, errorMs: clock.errorMs });

  return {
    granted({ resource, owner }, { token, untilMs }, expiresAt) {
      const fromMs = nowMs();
      const lease = { resource, owner, token, fromMs, untilMs: clock.toShared(untilMs), expiresAt };
      write({ kind: 'granted', ...lease });
      tell('granted');
    },
    renewed(_call, { token, untilMs }, expiresAt) {
      write({ kind: 'renewed', token, untilMs: clock.toShared(untilMs), expiresAt });
      tell('renewed');
    },
    denied({ resource }) {
      write({ kind: 'denied', resource });
      tell('denied');
    },
    unanswered({ resource, owner }) {
      write({ kind: 'unanswered', resource, owner });
    },
    /** @param endedMs when the worker ceased to rely on the lease; now unless given. */
    ended({ token }, how, endedMs = performance.now()) {
      write({ kind: 'ended', token, how, endedMs: clock.toShared(endedMs) });
      if (how === 'released') tell('released');
    },
    close: () => closeSync(descriptor),
  };
}

/**
 * All workers' records: the leases, each with `how` it ended (`crashed` if its process did not live to say) and the
 * time until which its owner relied on it; and how many calls were denied, renewed, or not answered.
 */
export function readRecords(folder) {
  const records = { leases: [], denied: 0, renewed: 0, unanswered: 0 };
  for (const name of readdirSync(folder).sort()) {
    const lines = linesOf(path.join(folder, name));
    for (const { kind } of lines) if (kind in records && kind !== 'leases') records[kind] += 1;
    records.leases.push(...leasesOf(lines));
  }
  return records;
}

/** The resources that a process held when its records end. */
export function heldAtTheEnd(file) {
  return leasesOf(linesOf(file))
    .filter(({ how }) => how === 'crashed')
    .map(({ resource }) => resource);
}

function linesOf(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(JSON.parse);
}

function leasesOf(lines) {
  const leases = new Map();
  const { worker, errorMs } = lines[0] ?? {};
  for (const line of lines) {
    const lease = leases.get(line.token);
    if (line.kind === 'granted') {
      leases.set(line.token, {
        ...line,
        worker,
        errorMs,
        expiresAtMs: Date.parse(line.expiresAt),
        how: 'crashed',
      });
    } else if (line.kind === 'renewed') {
      lease.untilMs = line.untilMs;
      lease.expiresAtMs = Date.parse(line.expiresAt);
    } else if (line.kind === 'ended') {
      lease.how = line.how;
      lease.untilMs = Math.min(lease.untilMs, line.endedMs);
    }
  }
  return [...leases.values()];
}
