import { hiddenCharacters } from '../ui/plain-text';

const charactersMax = 24;

/**
 * What has to be typed before a live lock is force-released: the last segment of its name, at most 24 characters of it.
 * It is a check that the right lock is in front of one's eyes, not a typing test.
 */
export function confirmationOf(resource: string, fencingToken: number): string {
  const visible = resource.replace(hiddenCharacters, '');
  const segments = visible.split('/').filter((segment) => segment.trim() !== '');
  const segment = segments.at(-1)?.trim() ?? visible.trim();
  const characters = Array.from(new Intl.Segmenter().segment(segment), (part) => part.segment);
  const word = characters.slice(-charactersMax).join('').trim();
  // A name of nothing but invisible characters can't be typed; its token can.
  return word === '' ? String(fencingToken) : word;
}

/** Pasted text may carry what can't be seen, and inputs may compose letters differently. */
export function isConfirmed(typed: string, confirmation: string): boolean {
  return plain(typed) === plain(confirmation);
}

function plain(text: string): string {
  return text.replace(hiddenCharacters, '').normalize('NFC').trim();
}
