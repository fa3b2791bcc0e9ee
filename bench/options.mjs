import path from 'node:path';
import { parseArgs } from 'node:util';

import { allPeers, isBuilt } from './peers.mjs';

const usage = `Usage: npm run bench -- [options]
  --quick                one short round
  --rounds N             rounds, of which medians are taken (3)
  --seconds N            length of a measurement, acquires take twice as long (2)
  --connections 1,16,64  connections to measure with
  --peers start,bare     only these: ${allPeers({ against: '…' })
    .map(({ key }) => key)
    .join(', ')}
  --against FOLDER       a built checkout of another version, measured as well
  --driver NAME          wrk or autocannon (wrk if it is installed)
  --dir FOLDER           where the temporary databases are made (data/)
  --json FILE            writes every figure there`;

export function readOptions() {
  try {
    const given = parse();
    if (!given.help) return check(given);
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exit(1);
  }
}

function parse() {
  const text = { type: 'string' };
  return parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      rounds: text,
      seconds: text,
      connections: { ...text, default: '1,16,64' },
      peers: text,
      against: text,
      driver: text,
      dir: { ...text, default: path.join(import.meta.dirname, '..', 'data') },
      json: text,
    },
  }).values;
}

function check(given) {
  const rounds = Number(given.rounds ?? (given.quick ? 1 : 3));
  const seconds = Number(given.seconds ?? (given.quick ? 1 : 2));
  const connections = given.connections.split(',').map(Number);
  const isCount = (number, max) => Number.isInteger(number) && number >= 1 && number <= max;
  if (!isCount(rounds, 50)) throw new Error('--rounds must be a whole number from 1 to 50');
  if (!isCount(seconds, 30)) throw new Error('--seconds must be a whole number from 1 to 30');
  if (!connections.every((number) => isCount(number, 256))) {
    throw new Error('--connections must be whole numbers from 1 to 256');
  }
  if (![undefined, 'wrk', 'autocannon'].includes(given.driver)) {
    throw new Error('--driver must be wrk or autocannon');
  }
  return {
    rounds,
    seconds,
    warmSeconds: given.quick ? 1 : 2,
    connections,
    peers: pickPeers(given),
    driver: given.driver ?? null,
    dir: path.resolve(given.dir),
    json: given.json ?? null,
  };
}

function pickPeers({ peers: names, against: folder }) {
  const against = folder === undefined ? null : path.resolve(folder);
  if (against !== null && !isBuilt(against)) {
    throw new Error('--against must be a checkout in which `npm run build` was run');
  }
  const known = allPeers({ against });
  if (names === undefined) return known;
  return names.split(',').map((name) => {
    const peer = known.find(({ key }) => key === name);
    if (peer === undefined) throw new Error(`--peers knows no ${name}`);
    return peer;
  });
}
