import { json, shown } from './text.js';

export function print(text: string): void {
  process.stdout.write(text);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${json(value)}\n`);
}

/** To the person, beside the output. */
export function say(text: string): void {
  process.stderr.write(`holdfast: ${shown(text)}\n`);
}
