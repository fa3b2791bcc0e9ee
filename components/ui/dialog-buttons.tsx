import type { RefObject } from 'react';

import { Button } from './button';

interface DialogButtonsProps {
  readonly cancel: string;
  readonly act: string;
  readonly isSending: boolean;
  readonly cancelRef?: RefObject<HTMLButtonElement | null>;
  readonly onCancel: () => void;
}

/** The end of a form in a dialog: leave it, or send it. */
export function DialogButtons(props: DialogButtonsProps) {
  const { cancel, act, isSending, cancelRef, onCancel } = props;
  return (
    <div className="flex flex-wrap justify-end gap-x-4 gap-y-2">
      <Button ref={cancelRef} onClick={onCancel} disabled={isSending}>
        {cancel}
      </Button>
      <Button type="submit" kind="primary" aria-disabled={isSending}>
        {act}
      </Button>
    </div>
  );
}
