'use client';

import { useState } from 'react';

import type { DrawnRow } from '@/lib/queries/still-rows';

/** Selected leases: the fencing token beside the name, for a name may be another lease's by now. */
export type Selected = ReadonlyMap<string, number>;

const none: Selected = new Map();

export interface Selection {
  readonly selected: Selected;
  /** Names whose lock was acquired anew while selected; they are selected no longer. */
  readonly dropped: readonly string[];
  readonly toggle: (row: DrawnRow) => void;
  readonly select: (leases: readonly { resource: string; fencing_token: number }[]) => void;
  readonly clear: () => void;
}

export function useSelection(rows: readonly DrawnRow[] | null): Selection {
  const [state, setState] = useState({ selected: none, dropped: noNames, rows });
  let current = state;
  if (state.rows !== rows) {
    const dropped = changedNames(state.selected, rows ?? []);
    const selected = dropped.length === 0 ? state.selected : without(state.selected, dropped);
    current = { selected, rows, dropped: dropped.length === 0 ? state.dropped : dropped };
    setState(current);
  }
  const setSelected = (selected: Selected) => setState({ selected, rows, dropped: noNames });
  return {
    selected: current.selected,
    dropped: current.dropped,
    toggle({ lock }) {
      const next = new Map(current.selected);
      if (!next.delete(lock.resource)) next.set(lock.resource, lock.fencing_token);
      setSelected(next);
    },
    select(leases) {
      const next = new Map(current.selected);
      for (const lease of leases) next.set(lease.resource, lease.fencing_token);
      setSelected(next);
    },
    clear: () => setSelected(none),
  };
}

const noNames: readonly string[] = [];

function changedNames(selected: Selected, rows: readonly DrawnRow[]): string[] {
  if (selected.size === 0) return [];
  return rows
    .map(({ lock }) => lock)
    .filter(({ resource, fencing_token }) => {
      const seen = selected.get(resource);
      return seen !== undefined && seen !== fencing_token;
    })
    .map(({ resource }) => resource);
}

function without(selected: Selected, names: readonly string[]): Selected {
  const next = new Map(selected);
  for (const name of names) next.delete(name);
  return next;
}
