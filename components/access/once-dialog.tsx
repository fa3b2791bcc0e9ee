'use client';

import { useState, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { Button } from '../ui/button';
import { Modal } from '../ui/modal';
import { useStayOnPage } from './use-stay-on-page';

interface OnceDialogProps {
  readonly title: string;
  /** Said when it is closed before anything was copied. */
  readonly notCopied: string;
  readonly onClose: () => void;
  readonly finalFocus: () => HTMLElement | boolean;
  readonly children: (onCopied: () => void) => ReactNode;
}

/** What is shown once and never again: it can't be closed by accident before it was copied. */
export function OnceDialog({ title, notCopied, onClose, finalFocus, children }: OnceDialogProps) {
  const t = useTranslations('once');
  const [isCopied, setCopied] = useState(false);
  const [isWarned, setWarned] = useState(false);
  useStayOnPage(!isCopied);
  const isWarning = isWarned && !isCopied;
  return (
    <Modal
      title={title}
      onClose={() => (isCopied ? onClose() : setWarned(true))}
      finalFocus={finalFocus}
    >
      {children(() => setCopied(true))}
      {isWarning && (
        <div role="alert" className="flex flex-col gap-3 border-s-2 border-amber ps-3">
          <p>
            <strong className="font-strong">{t('notCopiedYet')}</strong> {notCopied}
          </p>
          <div>
            <Button onClick={onClose}>{t('closeAnyway')}</Button>
          </div>
        </div>
      )}
      <div className="flex justify-end">
        {isWarning ? (
          <Button onClick={() => setWarned(false)}>{t('back')}</Button>
        ) : (
          <Button onClick={() => (isCopied ? onClose() : setWarned(true))}>{t('done')}</Button>
        )}
      </div>
    </Modal>
  );
}
