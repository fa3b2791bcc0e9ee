import { z } from 'zod';

import { parsePosition } from '../locks/event-feed';
import { leaseEventKinds, operatorEventKinds } from '../locks/events';
import { kindsParameter, resourceParameter } from './events-query';
import { searchText } from './list-query';

/** The query of the live stream. */

/** What happens to locks. */
export const lockEventKinds = [...leaseEventKinds, ...operatorEventKinds];

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
  kind: kindsParameter.optional(),
  resource: resourceParameter,
  client: searchText.optional(),
  actor: searchText.optional(),
  last_event_id: placeField.optional(),
});
