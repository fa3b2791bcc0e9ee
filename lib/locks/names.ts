/** What a name turned out to be: its normalised form, or what is wrong with it. */
export type NameCheck =
  { readonly ok: true; readonly name: string } | { readonly ok: false; readonly problem: string };

const plainName = /^[\x21-\x7e]+$/;
// C0, DEL and C1.
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;
const outerWhiteSpace = /^[\s\u0085]|[\s\u0085]$/;
const encoder = new TextEncoder();

/**
 * Checks a resource or owner name and normalises it to NFC.
 * Names are compared by their normalised bytes, so this is the only place that may change a name.
 *
 * @param bytesMax the limit in UTF-8 bytes, counted after normalisation.
 */
export function checkName(text: string, bytesMax: number): NameCheck {
  if (text.length === 0) return refused('must not be empty');
  if (plainName.test(text)) return withinBytes(text, text.length, bytesMax);
  if (!text.isWellFormed()) return refused('must be valid Unicode, without lone surrogates');
  if (controlCharacter.test(text)) return refused('must not contain control characters');
  if (outerWhiteSpace.test(text)) return refused('must not begin or end with white space');
  const name = text.normalize('NFC');
  return withinBytes(name, encoder.encode(name).length, bytesMax);
}

/** Like {@link checkName}, and refuses `.` and `..`, which URL parsers erase from a path. */
export function checkResource(text: string, bytesMax: number): NameCheck {
  if (text === '.' || text === '..') {
    return refused('must not be "." or "..", which URL parsers erase from a path');
  }
  return checkName(text, bytesMax);
}

/** Whether a text may be stored and shown as it is: valid Unicode without control characters. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !controlCharacter.test(text);
}

function withinBytes(name: string, bytes: number, bytesMax: number): NameCheck {
  if (bytes <= bytesMax) return { ok: true, name };
  return refused(`must be at most ${bytesMax} bytes of UTF-8, and is ${bytes}`);
}

function refused(problem: string): NameCheck {
  return { ok: false, problem };
}
