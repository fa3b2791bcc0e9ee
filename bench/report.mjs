// Medians over the rounds, and the Markdown that is printed: ratios first, since they travel between machines.

const workloads = {
  acquire: 'acquire',
  release: 'release',
  pair: 'acquire + release',
  hot: 'denied acquire',
};
const callsInOne = { acquire: 1, release: 1, pair: 2, hot: 1 };

/** Whose rate is told as a multiple of whose. */
const comparisons = [
  ['start', 'etcd'],
  ['start', 'next'],
  ['start', 'bare'],
  ['start', 'against'],
  ['postgres', 'pool'],
  ['postgres', 'etcd'],
  ['postgres2', 'postgres'],
  ['redis', 'setnx'],
  ['redis1s', 'setnx1s'],
];

export function summarise(samples, { connections, peers }) {
  return connections.flatMap((count) =>
    Object.keys(workloads).map((workload) => {
      const of = (peer) =>
        samples.filter(
          (sample) =>
            sample.peer === peer && sample.connections === count && sample.workload === workload,
        );
      return {
        workload,
        connections: count,
        figures: Object.fromEntries(
          peers.map(({ key }) => [key, mediansOf(of(key), callsInOne[workload])]),
        ),
        ratios: comparisons.map(([ours, theirs]) => ({
          ours,
          theirs,
          ratio: ratio(of(ours), of(theirs)),
        })),
      };
    }),
  );
}

/** Null where it was not measured. */
function mediansOf(samples, callsInEach) {
  if (samples.length === 0) return null;
  const of = (member) => median(samples.map((sample) => sample[member]));
  const isKnown = samples.every(({ cpuMicros }) => cpuMicros !== undefined);
  return {
    perSecond: of('callsPerSecond') / callsInEach,
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    cpuMicros: isKnown ? of('cpuMicros') : null,
    memoryMiB: isKnown ? of('memoryMiB') : null,
  };
}

/** The median of each round's own ratio: what slowed a whole round down cancels out. Null where one was not measured. */
function ratio(ours, theirs) {
  if (ours.length === 0 || theirs.length === 0) return null;
  const ratios = ours.map((sample) => {
    const other = theirs.find(({ round }) => round === sample.round);
    return sample.callsPerSecond / other.callsPerSecond;
  });
  return median(ratios);
}

function median(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function toMarkdown({ machine, summary, peers, skipped, options }) {
  const { processor, cores, memoryGiB, system, node, driver, fsyncMs, isInMemory } = machine;
  const medians =
    options.rounds === 1
      ? 'One round: a first impression.'
      : `Medians of ${options.rounds} rounds, peers in turn.`;
  return [
    `${processor}, ${cores} cores shared with the load generator, ${memoryGiB} GiB, ${system}, Node ${node}, ${driver}.`,
    `A durable write of 4 KiB takes ${fsyncMs.toFixed(2)} ms here${isInMemory ? ' (in memory: nothing is durable)' : ''}.`,
    ...busyWarning(machine),
    `${medians} ${options.seconds} s for each measurement.`,
    ...skipped.map(({ title, reason }) => `Without ${title}: ${reason}.`),
    '',
    ...ratioTable(summary, peers),
    '',
    ...figureTable(summary, peers),
  ].join('\n');
}

function busyWarning({ loadBefore, cores }) {
  if (loadBefore < cores / 2) return [];
  const load = loadBefore.toFixed(1);
  return [`**The machine was busy before the start (load ${load}): repeat this when it is idle.**`];
}

function ratioTable(summary, peers) {
  const title = (key) => peers.find((peer) => peer.key === key)?.title;
  const told = comparisons.filter(([ours, theirs]) => title(ours) && title(theirs));
  const heads = told.map(([ours, theirs]) => `${title(ours)} ÷ ${title(theirs)}`);
  return table(
    ['rates', 'connections', ...heads],
    summary.map(({ workload, connections, ratios }) => [
      workloads[workload],
      connections,
      ...told.map(([ours, theirs]) => {
        const found = ratios.find((one) => one.ours === ours && one.theirs === theirs);
        return found.ratio === null ? '' : `${Number(found.ratio.toPrecision(2))} ×`;
      }),
    ]),
  );
}

function figureTable(summary, peers) {
  return table(
    [
      'what',
      'connections',
      'of',
      'per second',
      'p50 ms',
      'p99 ms',
      'processor µs a call',
      'memory MiB',
    ],
    summary.flatMap(({ workload, connections, figures }) =>
      peers.flatMap(({ key, title }) => {
        const one = figures[key];
        if (one === null) return [];
        const { perSecond, p50Ms, p99Ms, cpuMicros, memoryMiB } = one;
        const cells = [thousands(perSecond), p50Ms.toFixed(2), p99Ms.toFixed(2)];
        const usage = [cpuMicros, memoryMiB].map((number) =>
          number === null ? '' : thousands(number),
        );
        return [[workloads[workload], connections, title, ...cells, ...usage]];
      }),
    ),
  );
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)];
}

function thousands(number) {
  return Math.round(number).toLocaleString('en-US');
}
