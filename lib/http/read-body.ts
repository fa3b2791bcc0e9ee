import { duplicateKey } from './duplicate-key';
import { invalid, Problem } from './problem';

const decoder = new TextDecoder('utf-8', { fatal: true });
/** How much of a body that is too large is read all the same. */
const discardedBytesMax = 4 * 1024 * 1024;
const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Whether a request carries a body at all. */
export function hasBody(request: Request): boolean {
  const length = request.headers.get('content-length');
  return (length !== null && length !== '0') || request.headers.has('transfer-encoding');
}

/**
 * Reads a JSON body.
 *
 * @param bytesMax the largest body that is read; nothing beyond it is kept in memory.
 * @throws Problem 413, 415, 400 (not JSON), or 422 (a field that stands twice).
 */
export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  if (!jsonType.test(request.headers.get('content-type') ?? '')) {
    throw new Problem(
      'unsupported-media-type',
      'Send the body as JSON, with the header Content-Type: application/json.',
    );
  }
  const text = decode(await receive(request, bytesMax));
  const value = parse(text);
  const twice = duplicateKey(text);
  if (twice !== null) throw invalid([{ field: twice, message: 'is given twice' }]);
  return value;
}

async function receive(request: Request, bytesMax: number): Promise<ArrayBuffer | Uint8Array> {
  try {
    return await readBytes(request, bytesMax);
  } catch (error) {
    if (error instanceof Problem) throw error;
    // The caller has gone, and nobody reads this; it is no fault of ours that the log should tell.
    throw notJson('it broke off');
  }
}

async function readBytes(request: Request, bytesMax: number): Promise<ArrayBuffer | Uint8Array> {
  const declared = request.headers.get('content-length');
  if (declared !== null) {
    if (Number(declared) <= bytesMax) return request.arrayBuffer();
    if (Number(declared) > discardedBytesMax) throw tooLarge(bytesMax);
  }
  return readStream(request, bytesMax);
}

/**
 * A body without a declared length is counted as it comes in. What is too much is thrown away up to a bound before it is
 * refused: were the connection closed on a caller who is still sending, it would be reset and the answer lost with it.
 */
async function readStream(request: Request, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > discardedBytesMax) break;
    if (bytes <= bytesMax) chunks.push(chunk);
  }
  if (bytes > bytesMax) throw tooLarge(bytesMax);
  const whole = new Uint8Array(bytes);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

function decode(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw notJson('it is not valid UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(text.trim() === '' ? 'it is empty' : 'it does not parse');
  }
}

function notJson(why: string): Problem {
  return new Problem('invalid-request', `The body must be JSON: ${why}.`, { status: 400 });
}

function tooLarge(bytesMax: number): Problem {
  // The rest of the body is not read, so the connection can't be used again.
  return new Problem('payload-too-large', `The body must be at most ${bytesMax} bytes.`, {
    headers: { Connection: 'close' },
  });
}
