// Medians over the rounds, and the Markdown that is printed: ratios first, since they travel between machines.
import { peers } from './peers.mjs';

const workloads = { acquire: 'acquire', release: 'release', pair: 'acquire + release' };
const callsInOne = { acquire: 1, release: 1, pair: 2 };

export function summarise(samples, { connections }) {
  return connections.flatMap((count) =>
    Object.keys(workloads).map((workload) => {
      const of = (peer) =>
        samples.filter(
          (sample) =>
            sample.peer === peer && sample.connections === count && sample.workload === workload,
        );
      const figures = Object.fromEntries(
        Object.keys(peers).map((peer) => [peer, mediansOf(of(peer), callsInOne[workload])]),
      );
      const [start, next, bare] = [of('start'), of('next'), of('bare')];
      return {
        workload,
        connections: count,
        againstBare: ratio(start, bare),
        againstNext: ratio(start, next),
        figures,
      };
    }),
  );
}

function mediansOf(samples, callsInEach) {
  return {
    perSecond: median(samples.map((sample) => sample.callsPerSecond / callsInEach)),
    p50Ms: median(samples.map((sample) => sample.p50Ms)),
    p99Ms: median(samples.map((sample) => sample.p99Ms)),
  };
}

/** The median of each round's own ratio: what slowed a whole round down cancels out. */
function ratio(ours, theirs) {
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

export function toMarkdown({ machine, summary, options }) {
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
    '',
    ...ratioTable(summary),
    '',
    ...figureTable(summary),
  ].join('\n');
}

function busyWarning({ loadBefore, cores }) {
  if (loadBefore < cores / 2) return [];
  const load = loadBefore.toFixed(1);
  return [`**The machine was busy before the start (load ${load}): repeat this when it is idle.**`];
}

function ratioTable(summary) {
  return [
    `| ${peers.start.title} against | connections | ${peers.bare.title} | ${peers.next.title} |`,
    '| --- | ---: | ---: | ---: |',
    ...summary.map(
      ({ workload, connections, againstBare, againstNext }) =>
        `| ${workloads[workload]} | ${connections} | ${Number(againstBare.toPrecision(2))} × | ${Number(againstNext.toPrecision(2))} × |`,
    ),
  ];
}

function figureTable(summary) {
  const columns = Object.values(peers);
  const heads = columns.map(({ title }) => `${title} /s | p50 / p99 ms`);
  return [
    `| per second, latency of one call | connections | ${heads.join(' | ')} |`,
    `| --- | ---: | ${columns.map(() => '---: | ---:').join(' | ')} |`,
    ...summary.map(({ workload, connections, figures }) => {
      const cells = columns.map(({ key }) => {
        const { perSecond, p50Ms, p99Ms } = figures[key];
        return `${thousands(perSecond)} | ${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`;
      });
      return `| ${workloads[workload]} | ${connections} | ${cells.join(' | ')} |`;
    }),
  ];
}

function thousands(number) {
  return Math.round(number).toLocaleString('en-US');
}
