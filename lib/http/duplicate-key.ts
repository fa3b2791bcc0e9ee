/**
 * Where in a JSON text a key stands twice in one object, as `metadata.host`; null if nowhere. `JSON.parse` keeps the last
 * of two and says nothing, so a body could be read in two ways.
 *
 * @param json a text that `JSON.parse` has accepted; nothing else is checked here.
 */
export function duplicateKey(json: string): string | null {
  const open: Level[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '{') open.push({ keys: new Set(), place: '' });
    else if (character === '[') open.push({ keys: null, place: 0 });
    else if (character === '}' || character === ']') open.pop();
    else if (character === ',') toNextItem(open.at(-1));
    else if (character === '"') {
      const end = endOfString(json, at);
      if (isKey(json, end)) {
        const key = String(JSON.parse(json.slice(at, end + 1)));
        if (!addKey(open.at(-1), key)) return open.map(({ place }) => place).join('.');
      }
      at = end;
    }
  }
  return null;
}

/** An object or array that is not closed yet. */
interface Level {
  /** Of an object; null for an array. */
  readonly keys: Set<string> | null;
  /** The key or index of what is being read. */
  place: string | number;
}

function toNextItem(level: Level | undefined): void {
  if (typeof level?.place === 'number') level.place += 1;
}

/** Whether the key is new in its object. */
function addKey(level: Level | undefined, key: string): boolean {
  if (level === undefined) return true;
  level.place = key;
  if (level.keys?.has(key)) return false;
  level.keys?.add(key);
  return true;
}

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
