'use client';

import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { useTranslations } from 'use-intl';

/** The messages that stay after something was done, one above the other, and below a question: they may not hide it. */
export function Toasts() {
  const t = useTranslations('toast');
  const { toasts } = Toast.useToastManager();
  return (
    <Toast.Portal>
      <Toast.Viewport
        aria-label={t('region')}
        className="fixed inset-x-3 bottom-3 z-30 flex flex-col-reverse gap-2 sm:left-auto sm:w-96"
      >
        {toasts.map((toast) => (
          <Toast.Root
            key={toast.id}
            toast={toast}
            swipeDirection={['right', 'down']}
            className="rounded-dialog border border-control bg-surface shadow-overlay data-limited:hidden"
          >
            <Toast.Content className="flex items-start gap-2 p-3">
              <Toast.Description
                className="min-w-0 flex-1 text-text break-words"
                render={<div />}
              />
              <Toast.Close
                aria-label={t('dismiss')}
                className="-m-1 inline-flex size-6 shrink-0 items-center justify-center rounded-control text-dim hover:bg-hair/60 hover:text-ink"
              >
                <X aria-hidden="true" size={14} />
              </Toast.Close>
            </Toast.Content>
          </Toast.Root>
        ))}
      </Toast.Viewport>
    </Toast.Portal>
  );
}
