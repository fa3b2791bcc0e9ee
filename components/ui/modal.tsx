'use client';

import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';

import { isCovered } from './cover';
import { useOpeningPress } from './use-opening-press';

interface ModalProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly onClose: () => void;
  /** While something irrevocable is under way, neither Esc nor a click outside leaves it without its result. */
  readonly isBusy?: boolean;
  readonly role?: 'dialog' | 'alertdialog';
  readonly initialFocus?: RefObject<HTMLElement | null>;
  readonly finalFocus?: () => HTMLElement | boolean;
  readonly className?: string;
}

/** A dialog over the page: in the middle of a wide screen, all of a small one. */
export function Modal(props: ModalProps) {
  const { title, children, onClose, isBusy = false, role = 'dialog', className } = props;
  useOpeningPress();
  return (
    <Dialog.Root
      open
      onOpenChange={(isOpen) => {
        // A press or a key over what covers it is not meant for this.
        if (!isOpen && !isBusy && !isCovered()) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup
          data-overlay=""
          role={role}
          initialFocus={() => focusInPlace(props.initialFocus?.current)}
          finalFocus={props.finalFocus}
          className={`fixed z-40 flex flex-col overflow-y-auto overscroll-contain bg-surface shadow-overlay outline-none max-sm:inset-0 sm:top-1/2 sm:left-1/2 sm:max-h-[calc(100dvh-2rem)] sm:w-[42rem] sm:max-w-[calc(100vw-2rem)] sm:-translate-1/2 sm:rounded-dialog sm:border sm:border-control ${className ?? ''}`}
        >
          <Dialog.Title className="sticky top-0 z-10 border-b border-hair bg-surface px-4 py-2.5 text-title font-strong sm:px-5">
            {title}
          </Dialog.Title>
          <div className="flex flex-col gap-4 px-4 py-4 sm:px-5">{children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A long dialog opens at its beginning, though the button that has the focus stands at its end. */
function focusInPlace(element: HTMLElement | null | undefined): boolean {
  element?.focus({ preventScroll: true });
  return element === null || element === undefined;
}
