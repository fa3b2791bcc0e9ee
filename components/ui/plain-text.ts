/** Characters that show nothing and change what is seen: directions, fillers, zero widths, tags, the BOM. */
export const hiddenCharacters =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu;

/** For places that take plain text alone, such as labels and titles: set apart, and without what turns directions. */
export function plainText(text: string): string {
  return `\u2068${text.replace(hiddenCharacters, '')}\u2069`;
}
