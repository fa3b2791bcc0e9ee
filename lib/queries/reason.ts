import { reasonField } from '../contract/fields';

/** The reason as it will be kept, or null while the API would refuse it. */
export function acceptableReason(text: string): string | null {
  const parsed = reasonField.safeParse(text);
  return parsed.success ? parsed.data : null;
}
