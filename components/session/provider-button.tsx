'use client';

import { useTranslations } from 'use-intl';

import { signInByProviderOptions } from '@/lib/queries/sign-in';

import { Button, buttonClass } from '../ui/button';
import { ProblemNote } from '../ui/problem-note';
import { useSendOnce } from '../ui/use-send-once';

interface ProviderButtonProps {
  readonly isInPlace: boolean;
  readonly to: string;
}

/** Leads to the other provider. From a page that must stay, in a tab of its own: this one notices the session. */
export function ProviderButton({ isInPlace, to }: ProviderButtonProps) {
  const t = useTranslations('session');
  const provider = useSendOnce(signInByProviderOptions, {
    onAnswer: ({ url }) => window.location.assign(url),
  });
  if (isInPlace) {
    return (
      <a
        href="/sign-in"
        target="_blank"
        rel="noopener"
        className={`${buttonClass()} h-9 whitespace-normal`}
      >
        {t('byProviderInTab')}
      </a>
    );
  }
  return (
    <>
      <Button
        className="h-9"
        aria-disabled={provider.isSending}
        onClick={() => provider.send({ to })}
      >
        {t('byProvider')}
      </Button>
      {provider.error !== null && !provider.isSending && (
        <ProblemNote what={t('notSignedIn')} error={provider.error} />
      )}
    </>
  );
}
