/** Lets so many pieces of work go on at once; the others wait for their turn, in order. */
export function createTurns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (work) => {
    if (underWay >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The turn passes on without becoming free in between.
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
}
