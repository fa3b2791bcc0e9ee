import { StoreUnavailable } from '../../locks/errors';
import { StoreBusy } from '../errors';

/** What the first word of an answer of Redis says that nothing was done, and that another try may go through. */
const passing = new Set([
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'MISCONF',
  'NOREPLICAS',
  'OOM',
  'READONLY',
  'TRYAGAIN',
  'UNKILLABLE',
]);

/** Redis forgot the script: it was restarted, or told to forget. Nothing was done. */
export function isScriptUnknown(error: Error): boolean {
  return wordOf(error) === 'NOSCRIPT';
}

/** What group commit is told of a call that Redis refused or did not answer. */
export function failureOf(error: Error): StoreBusy | StoreUnavailable {
  if (passing.has(wordOf(error))) {
    return new StoreBusy('Redis takes no call just now', { cause: error });
  }
  if (wordOf(error) === 'WRONGTYPE') {
    const message = 'A key of this lock in Redis is of another type: somebody else uses the prefix';
    return new StoreUnavailable(message, { cause: error });
  }
  return new StoreUnavailable('Redis did not answer', { cause: error });
}

function wordOf({ message }: Error): string {
  return /^-?([A-Z]+)\b/.exec(message)?.[1] ?? '';
}
