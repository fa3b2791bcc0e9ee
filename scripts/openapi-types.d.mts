/** The text of client/src/wire.ts, before it is formatted. */
export declare function wireTypes(document: Record<string, unknown>): string;
