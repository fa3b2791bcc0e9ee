interface CutTextProps {
  readonly text: string;
  /** Dim what comes before the last `/`, and set what comes after in strong. */
  readonly isPath?: boolean;
}

const tailLength = 12;
/** As many characters as `min-w-[8ch]` below. */
const headMin = 8;

/**
 * One line of a name, cut in its middle where there is no room: its beginning and its end are what tells it from its
 * neighbours. All of it is in the document, so it can be found, read out and selected.
 */
export function CutText({ text, isPath = false }: CutTextProps) {
  const leafStart = isPath ? leafStartOf(text) : 0;
  const { head, tail } = splitTail(text, leafStart);
  const strong = isPath ? 'font-strong' : '';
  return (
    <bdi
      dir="auto"
      title={text}
      className="inline-flex max-w-full min-w-0 overflow-hidden font-mono whitespace-pre"
    >
      {head !== '' && (
        // One piece, so that it is cut in one place.
        <span className={`truncate ${head.length > headMin ? 'min-w-[8ch]' : 'shrink-0'}`}>
          <span className="text-dim">{head.slice(0, leafStart)}</span>
          <span className={strong}>{head.slice(leafStart)}</span>
        </span>
      )}
      <span className={`shrink-0 ${strong}`}>{tail}</span>
    </bdi>
  );
}

function leafStartOf(text: string): number {
  // A trailing slash belongs to the last segment that says something.
  const end = text.endsWith('/') ? text.length - 1 : text.length;
  return text.lastIndexOf('/', end - 1) + 1;
}

/**
 * What may be cut, and what stays: of a path a short last segment as a whole, otherwise the last characters as the reader
 * counts them. A short text is not cut at all.
 */
function splitTail(text: string, leafStart: number): { head: string; tail: string } {
  const leaf = text.slice(leafStart);
  if (leaf.length <= tailLength * 2) return { head: text.slice(0, leafStart), tail: leaf };
  const characters = Array.from(new Intl.Segmenter().segment(leaf), ({ segment }) => segment);
  const tail = characters.slice(-tailLength).join('');
  return { head: text.slice(0, text.length - tail.length), tail };
}
