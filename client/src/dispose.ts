/** What `await using` calls. Browsers without the symbol never call it. */
export const asyncDispose: typeof Symbol.asyncDispose = symbol();

function symbol(): typeof Symbol.asyncDispose {
  const known: { readonly asyncDispose?: symbol } = Symbol;
  return (known.asyncDispose ?? Symbol.for('Symbol.asyncDispose')) as typeof Symbol.asyncDispose;
}
