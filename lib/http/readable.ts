/** A reader that takes nothing for so long is cut off: what it holds is memory, and a place of few. */
const stallMsMax = 30_000;

interface ReadableOptions {
  readonly onCutOff: (error: unknown) => void;
  /** Called once, whichever way it ends. */
  readonly onEnd?: (() => void) | undefined;
  readonly stallMs?: number;
}

/**
 * A stream of text as a body: each piece is asked for when the reader has taken the one before, so that a slow reader
 * holds one piece in memory, and one that goes away ends the source.
 *
 * `onCutOff` is told when the source failed or the reader stood still; its connection is then cut, so that what it has
 * can't pass for all.
 */
export function readableOf(
  source: AsyncIterable<string>,
  { onCutOff, onEnd = () => undefined, stallMs = stallMsMax }: ReadableOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pieces = source[Symbol.asyncIterator]();
  let stall: NodeJS.Timeout | undefined;
  let isOver = false;
  const end = () => {
    clearTimeout(stall);
    if (isOver) return;
    isOver = true;
    onEnd();
  };
  const cutOff = (controller: ReadableStreamDefaultController<Uint8Array>, error: unknown) => {
    if (isOver) return;
    end();
    onCutOff(error);
    controller.error(error);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stall);
        try {
          const piece = await pieces.next();
          if (isOver) return;
          if (piece.done === true) {
            end();
            controller.close();
            return;
          }
          controller.enqueue(encoder.encode(piece.value));
          stall = setTimeout(() => {
            void pieces.return?.();
            cutOff(controller, new Error(`The reader took nothing for ${String(stallMs)} ms`));
          }, stallMs);
          stall.unref();
        } catch (error) {
          cutOff(controller, error);
        }
      },
      async cancel() {
        end();
        await pieces.return?.();
      },
    },
    // Nothing is made ahead of the reader.
    { highWaterMark: 0 },
  );
}
