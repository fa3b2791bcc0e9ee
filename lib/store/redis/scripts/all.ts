import { adoptScripts, type AdoptScripts } from './adopt';
import type { ScriptSettings } from './common';
import { contentionScripts, type ContentionScripts } from './contention';
import { leaseScripts, type LeaseScripts } from './lease';
import { listScripts, type ListScripts } from './list';
import { operatorScripts, type OperatorScripts } from './operator';
import { upkeepScripts, type UpkeepScripts } from './upkeep';

export type Scripts = LeaseScripts &
  OperatorScripts &
  ListScripts &
  AdoptScripts &
  UpkeepScripts &
  ContentionScripts;

export function createScripts(settings: ScriptSettings): Scripts {
  return {
    ...leaseScripts(settings),
    ...operatorScripts(settings),
    ...listScripts(settings),
    ...adoptScripts(settings),
    ...upkeepScripts(settings),
    ...contentionScripts(settings),
  };
}
