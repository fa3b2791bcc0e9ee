// The locks that a run of pairs begins with.
import { acquireBody, jsonHeaders } from './lock-body.mjs';

/** How many names lie between a pair's acquire and its release. */
export function lagOf(connections) {
  return connections === 1 ? 1 : connections * 8;
}

export async function fillNames({ url, prefix, connections }, count) {
  let next = 1;
  const fill = async () => {
    while (next <= count) {
      const number = next;
      next += 1;
      const response = await fetch(`${url}/api/locks/${prefix}${number}`, {
        method: 'POST',
        headers: jsonHeaders,
        body: acquireBody,
      });
      const { acquired } = await response.json();
      if (acquired !== true) throw new Error(`${prefix}${number} was not granted`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(connections, 16) }, fill));
}
