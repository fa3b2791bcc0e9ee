/**
 * A stream of text as a body: each piece is asked for when the reader has taken the one before, so that a slow reader
 * holds one piece in memory, and one that goes away ends the source.
 *
 * @param onCutOff told when the source failed; the reader's connection is then cut, so that what it has can't pass for all.
 */
export function readableOf(
  source: AsyncIterable<string>,
  onCutOff: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pieces = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await pieces.next();
          if (piece.done === true) controller.close();
          else controller.enqueue(encoder.encode(piece.value));
        } catch (error) {
          onCutOff(error);
          controller.error(error);
        }
      },
      async cancel() {
        await pieces.return?.();
      },
    },
    // Nothing is made ahead of the reader.
    { highWaterMark: 0 },
  );
}
