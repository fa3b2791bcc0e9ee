/**
 * The first key that stands twice in one object of a JSON text, or null. `JSON.parse` keeps the last of two and says
 * nothing, so a body could be read in two ways.
 *
 * @param json a text that `JSON.parse` has accepted; nothing else is checked here.
 */
export function duplicateKey(json: string): string | null {
  const open: Set<string>[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '{') open.push(new Set());
    // An array holds no keys, but closing it must not close the object around it.
    else if (character === '[') open.push(noKeys);
    else if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      const end = endOfString(json, at);
      if (isKey(json, end)) {
        const key = String(JSON.parse(json.slice(at, end + 1)));
        const keys = open.at(-1);
        if (keys?.has(key)) return key;
        keys?.add(key);
      }
      at = end;
    }
  }
  return null;
}

const noKeys = new Set<string>();

function endOfString(json: string, start: number): number {
  let end = start + 1;
  while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end;
}

function isKey(json: string, endOfText: number): boolean {
  let at = endOfText + 1;
  while (json[at] === ' ' || json[at] === '\n' || json[at] === '\r' || json[at] === '\t') at += 1;
  return json[at] === ':';
}
