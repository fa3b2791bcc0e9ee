import { z } from 'zod';

import {
  accessEventKinds,
  eventKinds,
  leaseEventKinds,
  operatorEventKinds,
  type EventKind,
} from '../locks/events';
import { patternField } from './access-fields';
import { cursorParameter, limitParameter, searchText } from './list-query';

/** The queries of the history. Every value arrives as a string, and each refused one is named. */

/** Words that stand for several kinds. */
const kindGroups = {
  lease: leaseEventKinds,
  operator: operatorEventKinds,
  access: accessEventKinds,
} as const satisfies Record<string, readonly EventKind[]>;

const groupWords = ['lease', 'operator', 'access'] as const;

export const kindsParameter = z
  .array(z.enum([...groupWords, ...eventKinds]))
  .transform((words) => [...new Set(words.flatMap(kindsOf))])
  .meta({
    description: 'Repeats. `lease`, `operator` and `access` stand for all kinds of their sort.',
  });

function kindsOf(word: (typeof groupWords)[number] | EventKind): readonly EventKind[] {
  return word === 'lease' || word === 'operator' || word === 'access' ? kindGroups[word] : [word];
}

const moment = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-05-01T09:30:00Z' })
  .transform((given) => Date.parse(given));

const eventFilters = {
  kind: kindsParameter.optional(),
  actor: searchText.optional(),
  client: searchText.optional(),
  since: moment.meta({ description: 'From this moment on, RFC 3339.' }).optional(),
  until: moment.meta({ description: 'Before this moment, RFC 3339.' }).optional(),
};

export const resourceParameter = patternField.optional().meta({
  description: 'An exact name, or the beginning of names and one * at its end.',
});

const page = { limit: limitParameter, cursor: cursorParameter.optional() };

interface Range {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

function assertRange({ since, until }: Range, context: z.RefinementCtx): void {
  if (since === undefined || until === undefined || since < until) return;
  context.addIssue({ code: 'custom', message: 'must be after since', path: ['until'] });
}

export const eventsQuery = z
  .strictObject({ ...eventFilters, resource: resourceParameter, ...page })
  .superRefine(assertRange);

/** The export is the whole history, so it has no pages. */
export const eventsExportQuery = z
  .strictObject({ ...eventFilters, resource: resourceParameter })
  .superRefine(assertRange);

export const lockEventsQuery = z
  .strictObject({ ...eventFilters, ...page })
  .superRefine(assertRange);

/** Without its page. */
export type EventFiltersOnWire = z.output<typeof eventsExportQuery>;
