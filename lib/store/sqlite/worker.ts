import { parentPort, workerData } from 'node:worker_threads';

import { z } from 'zod';

import { LocalSqliteConnection } from './connection';
import { failureOf, type WorkerCall, type WorkerReply } from './worker-messages';

/** The thread that holds the connection: it commits one group while the main thread reads and answers others. */

const connection = new LocalSqliteConnection(z.object({ url: z.string() }).parse(workerData).url);

parentPort?.on('message', (call: WorkerCall) => {
  void perform(call).then((reply) => parentPort?.postMessage(reply));
});

async function perform(call: WorkerCall): Promise<WorkerReply> {
  try {
    return { id: call.id, result: await dispatch(call) };
  } catch (error) {
    return { id: call.id, failure: failureOf(error) };
  }
}

function dispatch(call: WorkerCall): Promise<unknown> {
  switch (call.verb) {
    case 'transaction':
      return connection.transaction(...call.args);
    case 'script':
      return connection.script(...call.args);
    case 'close':
      return connection.close();
  }
}
