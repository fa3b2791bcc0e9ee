import { reasonField } from '../contract/fields';
import { limits } from '../contract/limits';

/** In characters, for the sentences that tell it. */
export const reasonLength = {
  min: limits.reasonCharactersMin,
  max: limits.reasonCharactersMax,
} as const;

/** The reason as it will be kept, or null while the API would refuse it. */
export function acceptableReason(text: string): string | null {
  const parsed = reasonField.safeParse(text);
  return parsed.success ? parsed.data : null;
}
