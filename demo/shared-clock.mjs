// One clock for all processes of the demo: the parent's monotonic one. Wall clocks can step; these can't.

const readings = 9;
const answerMsMax = 5_000;

/** The parent's side. */
export function answerTime(child, { sentMs }) {
  child.send({ kind: 'time', sentMs, sharedMs: performance.now() }, () => undefined);
}

/**
 * The worker's side: asks the parent for its time a few times and keeps the reading with the shortest round trip.
 *
 * @returns `toShared(ms)`, from this process's `performance.now()` to the shared clock, and the largest error it can have.
 */
export async function meetSharedClock(channel) {
  let best = { roundTripMs: Infinity, offsetMs: 0 };
  for (let reading = 0; reading < readings; reading += 1) {
    const { sentMs, sharedMs, receivedMs } = await askTime(channel);
    const roundTripMs = receivedMs - sentMs;
    if (roundTripMs < best.roundTripMs) {
      best = { roundTripMs, offsetMs: sharedMs - (sentMs + receivedMs) / 2 };
    }
  }
  return { toShared: (ms) => ms + best.offsetMs, errorMs: best.roundTripMs / 2 };
}

function askTime(channel) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error('The parent does not tell its time')),
      answerMsMax,
    );
    const listen = (message) => {
      if (message.kind !== 'time') return;
      clearTimeout(late);
      channel.off('message', listen);
      resolve({ ...message, receivedMs: performance.now() });
    };
    channel.on('message', listen);
    channel.send({ kind: 'time', sentMs: performance.now() });
  });
}
