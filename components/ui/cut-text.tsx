interface CutTextProps {
  readonly text: string;
  /** Dim what comes before the last `/`, and set what comes after in strong. */
  readonly isPath?: boolean;
}

const tailLength = 12;
/** As many characters as `min-w-[8ch]` below. */
const pathMin = 8;

/**
 * One line of a name, cut in its middle where there is no room: its beginning and its end are what tells it from its
 * neighbours. All of it is in the document, so it can be found, read out and selected.
 */
export function CutText({ text, isPath = false }: CutTextProps) {
  const leafStart = isPath ? leafStartOf(text) : 0;
  const path = text.slice(0, leafStart);
  const { head, tail } = splitTail(text.slice(leafStart));
  const strong = isPath ? 'font-strong' : '';
  return (
    <bdi
      dir="auto"
      title={text}
      className="inline-flex max-w-full min-w-0 overflow-hidden font-mono whitespace-pre"
    >
      {path !== '' && <span className={`truncate text-dim ${pathClass(path)}`}>{path}</span>}
      {head !== '' && <span className={`min-w-[2ch] truncate ${strong}`}>{head}</span>}
      <span className={`shrink-0 ${strong}`}>{tail}</span>
    </bdi>
  );
}

/** The path gives way first, but for its beginning. */
function pathClass(path: string): string {
  return path.length > pathMin ? 'min-w-[8ch] shrink-9999' : 'shrink-0';
}

function leafStartOf(text: string): number {
  // A trailing slash belongs to the last segment that says something.
  const end = text.endsWith('/') ? text.length - 1 : text.length;
  return text.lastIndexOf('/', end - 1) + 1;
}

/** The last characters as the reader counts them; short texts are not cut at all. */
function splitTail(text: string): { head: string; tail: string } {
  if (text.length <= tailLength * 2) return { head: '', tail: text };
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  return {
    head: characters.slice(0, -tailLength).join(''),
    tail: characters.slice(-tailLength).join(''),
  };
}
