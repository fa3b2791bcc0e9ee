import { z } from 'zod';

import { parsePosition } from '../locks/event-feed';
import { accessEventKinds, eventKinds, leaseEventKinds, operatorEventKinds } from '../locks/events';
import { limits } from '../locks/limits';
import { isPlainText } from '../locks/names';

/** The query of the live stream. */

export { eventKinds };

export const kindGroups = {
  lease: leaseEventKinds,
  operator: operatorEventKinds,
  access: accessEventKinds,
} as const;

const kindWords = [...eventKinds, ...accessEventKinds, 'lease', 'operator', 'access'] as const;

const filterText = z
  .string()
  .min(1, 'must not be empty')
  .max(limits.resourceBytesMax, `must be at most ${limits.resourceBytesMax} characters`)
  .refine(isPlainText, 'must be valid Unicode without control characters')
  .transform((text) => text.normalize('NFC'))
  .meta({ minLength: 1, maxLength: limits.resourceBytesMax });

const kinds = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat())
  .pipe(z.array(z.enum(kindWords)))
  .meta({ description: 'A kind of event, or lease, operator or access; may be repeated.' });

export const placeField = z
  .string()
  .transform((text, context) => {
    const place = parsePosition(text);
    if (place !== null) return place;
    context.addIssue({ code: 'custom', message: 'must be an id of the stream', input: text });
    return z.NEVER;
  })
  .meta({ description: 'Where the reader left off; the header Last-Event-ID counts before it.' });

export const streamQuery = z.strictObject({
  kind: kinds.optional(),
  resource: filterText
    .meta({ description: 'An exact name, or a prefix with one final *.' })
    .optional(),
  client: filterText.optional(),
  actor: filterText.optional(),
  last_event_id: placeField.optional(),
});
