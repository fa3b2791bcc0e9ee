/** When a key stops working, as it is chosen in a form. `same` is the end that the key before it has. */
export const expiryChoices = ['never', '30d', '90d', 'date'] as const;
export type ExpiryChoice = (typeof expiryChoices)[number] | 'same';

export interface ExpiryDraft {
  readonly choice: ExpiryChoice;
  /** `2026-05-01`, as the browser's own field gives it; empty before it is chosen. */
  readonly date: string;
}

/** The moment, `never`, or what is wrong with the choice. */
export type Expiry =
  | { readonly kind: 'same' | 'never' | 'noDate' | 'past' }
  | { readonly kind: 'at'; readonly atMs: number };

const dayMs = 24 * 60 * 60 * 1000;

/**
 * A date means the end of that day, in UTC or in the zone of this computer.
 *
 * @param nowMs the server's time, in milliseconds.
 */
export function expiryOf(
  { choice, date }: ExpiryDraft,
  zone: 'utc' | 'local',
  nowMs: number,
): Expiry {
  switch (choice) {
    case 'same':
    case 'never':
      return { kind: choice };
    case '30d':
      return { kind: 'at', atMs: nowMs + 30 * dayMs };
    case '90d':
      return { kind: 'at', atMs: nowMs + 90 * dayMs };
    case 'date': {
      const atMs = Date.parse(`${date}T23:59:59.000${zone === 'utc' ? 'Z' : ''}`);
      if (Number.isNaN(atMs)) return { kind: 'noDate' };
      return atMs <= nowMs ? { kind: 'past' } : { kind: 'at', atMs };
    }
  }
}

/** What the API takes for it: undefined is left out, null is never. */
export function expiryOnWire(expiry: Expiry): string | null | undefined {
  if (expiry.kind === 'never') return null;
  return expiry.kind === 'at' ? new Date(expiry.atMs).toISOString() : undefined;
}

const soonMs = 7 * dayMs;

export type KeyWord = 'active' | 'soon' | 'expired' | 'revoked';

/** The state as the server tells it; that a key ends within a week is worth a word of its own. */
export function keyWordOf(
  key: { readonly state: 'active' | 'expired' | 'revoked'; readonly expires_at: string | null },
  nowMs: number,
): KeyWord {
  if (key.state !== 'active' || key.expires_at === null) return key.state;
  return Date.parse(key.expires_at) - nowMs < soonMs ? 'soon' : 'active';
}
