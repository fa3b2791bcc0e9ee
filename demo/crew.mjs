// Starts the worker processes, starts those that crash again, and ends them all.
import { fork } from 'node:child_process';
import path from 'node:path';

import { answerTime } from './shared-clock.mjs';
import { heldAtTheEnd } from './records.mjs';

const workerFile = path.join(import.meta.dirname, 'worker.mjs');
const restartMs = 1_000;
const stopMsMax = 8_000;

export function createCrew({ baseUrl, folder, runId, roles }) {
  const members = new Set();
  const tally = { granted: 0, denied: 0, renewed: 0, released: 0, crashed: 0 };
  const unexpected = [];
  let isStopping = false;

  function launch(role, generation, resume) {
    const recordFile = path.join(folder, `${role.name}.${generation}.jsonl`);
    const child = fork(workerFile, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const member = { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
    members.add(member);
    child.on('message', (message) => {
      if (message.kind === 'time') answerTime(child, message);
      else if (message.kind === 'count') tally[message.what] += 1;
    });
    child.on('exit', (code, signal) => {
      members.delete(member);
      if (signal === 'SIGKILL' && role.crashAfterMs !== undefined) tally.crashed += 1;
      else if (!isStopping) {
        unexpected.push(`The worker ${role.name} ended by itself (${signal ?? `code ${code}`})`);
      }
      if (isStopping) return;
      // As a supervisor would: the same job again, beginning with what it was at when it died.
      setTimeout(() => {
        if (!isStopping) launch(role, generation + 1, heldAtTheEnd(recordFile));
      }, restartMs);
    });
    send(child, { kind: 'start', role, runId, baseUrl, recordFile, resume });
  }

  return {
    start() {
      for (const role of roles) launch(role, 1, []);
    },
    tally: () => ({ ...tally }),
    unexpectedEnds: () => [...unexpected],
    /** Lets every worker release what it holds and end; whoever has not after a while is killed. */
    async stop() {
      isStopping = true;
      for (const { child } of members) send(child, { kind: 'stop' });
      const late = setTimeout(() => {
        for (const { child } of members) {
          unexpected.push(`The worker process ${child.pid} did not end when it was told to`);
          child.kill('SIGKILL');
        }
      }, stopMsMax);
      await Promise.all([...members].map((member) => member.ended));
      clearTimeout(late);
    },
    killAll() {
      for (const { child } of members) child.kill('SIGKILL');
    },
  };
}

/** A worker may have been killed a moment ago; its exit is handled elsewhere. */
function send(child, message) {
  child.send(message, () => undefined);
}
