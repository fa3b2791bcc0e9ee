'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode, Ref } from 'react';

import { ReadPage, type Sighting } from '../shell/read-page';
import { Button } from '../ui/button';

interface AdminListProps<Seen extends Sighting> {
  /** Where its words stand in the catalogue. */
  readonly words: 'apiKeys' | 'members';
  readonly list: UseQueryResult<Seen>;
  /** The button that adds to it. */
  readonly addLabel: string;
  readonly addRef: Ref<HTMLButtonElement>;
  readonly onAdd: () => void;
  readonly dialogs: ReactNode;
  readonly children: (seen: Seen) => ReactNode;
}

/** The page of what admins keep, and the button that adds to it. */
export function AdminList<Seen extends Sighting>(props: AdminListProps<Seen>) {
  const { words, list, addLabel, addRef, onAdd, dialogs, children } = props;
  const add = (
    <Button
      ref={addRef}
      kind="primary"
      aria-haspopup="dialog"
      disabled={list.data === undefined}
      onClick={onAdd}
    >
      {addLabel}
    </Button>
  );
  return (
    <ReadPage words={words} sighting={list} action={add} dialogs={dialogs}>
      {children}
    </ReadPage>
  );
}
