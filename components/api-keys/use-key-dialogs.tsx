'use client';

import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState, type RefObject } from 'react';
import { useTranslations } from 'use-intl';

import type { KeyOnWire } from '@/lib/contract/access-answers';
import { keysQueryKey } from '@/lib/queries/api-keys';

import { UserText } from '../ui/user-text';
import { CreateKeyDialog } from './create-key-dialog';
import { RevokeKeyDialog } from './revoke-key-dialog';
import { RotateKeyDialog } from './rotate-key-dialog';
import { SecretDialog, type NewSecret } from './secret-dialog';

type Opened =
  | { readonly kind: 'create' }
  | { readonly kind: 'rotate' | 'revoke'; readonly key: KeyOnWire }
  | { readonly kind: 'secret'; readonly made: NewSecret };

interface KeyDialogsOptions {
  readonly keys: readonly KeyOnWire[];
  readonly nowMs: number;
  /** Where the focus goes from a dialog whose opener may be gone. */
  readonly newRef: RefObject<HTMLButtonElement | null>;
}

/** The questions of this page, one at a time. A secret lives here until its dialog is closed, and nowhere else. */
export function useKeyDialogs({ keys, nowMs, newRef }: KeyDialogsOptions) {
  const t = useTranslations('revoke');
  const queryClient = useQueryClient();
  const { add } = Toast.useToastManager();
  const [opened, setOpened] = useState<Opened | null>(null);
  const shared = {
    nowMs,
    onClose: () => setOpened(null),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: keysQueryKey }),
  };

  function revoked(key: KeyOnWire) {
    setOpened(null);
    const name = () => (
      <UserText key="name" isProse>
        {key.name}
      </UserText>
    );
    add({ description: t.rich('revoked', { name }), timeout: 8_000 });
  }

  return {
    create: useCallback(() => setOpened({ kind: 'create' }), []),
    rotate: useCallback((key: KeyOnWire) => setOpened({ kind: 'rotate', key }), []),
    revoke: useCallback((key: KeyOnWire) => setOpened({ kind: 'revoke', key }), []),
    dialogs: (
      <>
        {opened?.kind === 'create' && (
          <CreateKeyDialog
            {...shared}
            keys={keys}
            onMade={(made) => setOpened({ kind: 'secret', made: { ...made, replaced: null } })}
          />
        )}
        {opened?.kind === 'rotate' && (
          <RotateKeyDialog
            {...shared}
            apiKey={opened.key}
            onRotated={(made) => setOpened({ kind: 'secret', made })}
          />
        )}
        {opened?.kind === 'revoke' && (
          <RevokeKeyDialog {...shared} seen={opened.key} keys={keys} onRevoked={revoked} />
        )}
        {opened?.kind === 'secret' && (
          <SecretDialog
            made={opened.made}
            onClose={shared.onClose}
            finalFocus={() => newRef.current ?? true}
          />
        )}
      </>
    ),
  };
}
