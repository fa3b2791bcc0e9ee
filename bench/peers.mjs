// What is measured, each alone on the machine and started anew for each round. A peer is `key`, `title`, the workloads
// that it knows, and `start`: into what a round needs of it.
import { existsSync } from 'node:fs';
import path from 'node:path';

import { countRows } from './accounts.mjs';
import { runDirect } from './load/direct.mjs';
import { wrkVersion } from './load/wrk.mjs';
import { countKeys, etcdVersion, putIfAbsent, startEtcd } from './servers/etcd.mjs';
import { makeKey, startHoldfast, startNext } from './servers/holdfast.mjs';
import { countPlainLocks, makePlainTable, startDatabase } from './servers/postgres.mjs';
import { answersOk, freePort, startProcess } from './servers/processes.mjs';
import { redisVersion, startRedis } from './servers/redis.mjs';

const everyWorkload = ['acquire', 'release', 'pair', 'hot'];
const acquireAlone = ['acquire'];
/** PostgreSQL's own default allows a hundred sessions. */
const poolMax = 64;

/** @param options `against`: another built checkout, or null. */
export function allPeers({ against }) {
  return [
    holdfast('start', '`npm start`', (context) => [startOnFile(context, context.root)]),
    holdfast('next', '`next start`', ({ root, folder }) => [
      startNext({ title: '`next start`', home: root, databaseUrl: fileIn(folder) }),
    ]),
    bare,
    ...(against === null
      ? []
      : [
          holdfast('against', path.basename(against), (context) => [startOnFile(context, against)]),
        ]),
    etcd,
    onPostgres('postgres', 'PostgreSQL', 1),
    onPostgres('postgres2', 'PostgreSQL, 2 instances', 2),
    pool,
    onRedis('redis', 'Redis, each answer flushed', 'always'),
    setNx('setnx', '`SET NX PX`, each answer flushed', 'always'),
    onRedis('redis1s', 'Redis, flushed each second', 'everysec'),
    setNx('setnx1s', '`SET NX PX`, flushed each second', 'everysec'),
  ];
}

/** @returns why a peer can't be measured here, or null. */
export function whyNot({ needs }) {
  return needs?.() ?? null;
}

function fileIn(folder) {
  return `file:${path.join(folder, 'holdfast.db')}`;
}

function startOnFile({ folder }, home) {
  return startHoldfast({ title: home, home, databaseUrl: fileIn(folder) });
}

/** Instances of the service, and what they stand on. */
function holdfast(key, title, startAll) {
  return {
    key,
    title,
    workloads: everyWorkload,
    start: async (context) => {
      const servers = [];
      for (const starting of startAll(context)) servers.push(await starting);
      return running(context, servers);
    },
  };
}

function onPostgres(key, title, instances) {
  return {
    key,
    title,
    workloads: everyWorkload,
    start: async (context) => {
      const database = await startDatabase(context);
      const servers = [];
      for (let at = 0; at < instances; at += 1) {
        servers.push(await startHoldfast({ title, home: context.root, databaseUrl: database.url }));
      }
      return running(context, servers, database);
    },
  };
}

function onRedis(key, title, appendfsync) {
  return {
    key,
    title,
    workloads: appendfsync === 'always' ? everyWorkload : acquireAlone,
    needs: needsRedis,
    start: async (context) => {
      const redis = await startRedis({ ...context, title, appendfsync });
      const environment = { LOCK_STORE_URL: redis.url };
      const databaseUrl = fileIn(context.folder);
      const server = await startHoldfast({ title, home: context.root, databaseUrl, environment });
      return running(context, [server], redis);
    },
  };
}

/** What a lock in Redis is usually: one command by ioredis, without a service, a token, a history or a list. */
function setNx(key, title, appendfsync) {
  return {
    key,
    title,
    workloads: acquireAlone,
    needs: needsRedis,
    start: async (context) => {
      const redis = await startRedis({ ...context, title, appendfsync });
      return {
        pids: [redis.pid],
        drive: (run) => runDirect('setnx', redis.url, run),
        countLocks: redis.countKeys,
        stop: redis.stop,
      };
    },
  };
}

function needsRedis() {
  return redisVersion() === null ? 'redis-server is not installed' : null;
}

async function running({ driver }, servers, database = null) {
  const urls = servers.map(({ url }) => url);
  const key = await makeKey(urls[0]);
  return {
    url: urls[0],
    key,
    pids: [...servers.map(({ pid }) => pid), ...(database === null ? [] : [database.pid])],
    drive: (run) => driver.drive({ ...run, urls, key }),
    countLocks: (prefix) => countRows({ url: urls[0], key, prefix }),
    stop: async () => {
      for (const server of servers) await server.stop();
      await database?.stop();
    },
  };
}

const bare = {
  key: 'bare',
  title: 'bare `node:http`',
  workloads: everyWorkload,
  start: async ({ driver, answerFile }) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const server = await startProcess({
      title: bare.title,
      command: process.execPath,
      args: [path.join(import.meta.dirname, 'servers/bare-server.mjs'), String(port), answerFile],
      isReady: () => answersOk(url),
    });
    const drive = (run) => driver.drive({ ...run, urls: [url], key: 'of no account' });
    return { ...server, pids: [server.pid], drive, countLocks: null };
  },
};

const etcd = {
  key: 'etcd',
  title: `etcd ${etcdVersion() ?? ''}`.trim(),
  workloads: acquireAlone,
  needs: () => {
    if (etcdVersion() === null) return 'etcd is not installed';
    return wrkVersion() === null ? 'wrk, which drives it, is not installed' : null;
  },
  start: async ({ folder }) => {
    const server = await startEtcd({ title: etcd.title, folder });
    return {
      ...server,
      pids: [server.pid],
      drive: (run) => putIfAbsent(server.url, run),
      countLocks: (prefix) => countKeys(server.url, prefix),
    };
  },
};

const pool = {
  key: 'pool',
  title: 'bare `pg` pool',
  workloads: acquireAlone,
  start: async (context) => {
    const { url, pid, stop } = await startDatabase(context);
    await makePlainTable(url);
    return {
      pids: [pid],
      drive: (run) =>
        runDirect('pool', url, { ...run, connections: Math.min(run.connections, poolMax) }),
      countLocks: (prefix) => countPlainLocks(url, prefix),
      stop,
    };
  },
};

/** A checkout whose build can be started. */
export function isBuilt(home) {
  return existsSync(path.join(home, 'dist/server.mjs'));
}
