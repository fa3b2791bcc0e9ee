'use client';

import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';

import { CopyButton } from '../ui/copy-button';
import { UserText } from '../ui/user-text';

/** What the holder said of itself. It is anybody's text: a link only when it is one to a web page. */
export function LockMetadata({ lock }: { readonly lock: LockOnWire }) {
  const t = useTranslations('facts');
  const entries = Object.entries(lock.metadata ?? {});
  return (
    <section aria-label={t('metadata')}>
      <h2 className="flex items-center border-b border-hair pb-1 font-strong">
        {t('metadata')}
        {entries.length > 0 && (
          <CopyButton
            className="-my-1 ms-auto"
            text={JSON.stringify(lock.metadata)}
            label={t('copyMetadata')}
          />
        )}
      </h2>
      {entries.length === 0 ? (
        <p className="py-1.5 text-cell text-dim">{t('noMetadata')}</p>
      ) : (
        <dl className="text-cell">
          {entries.map(([key, value]) => (
            <div key={key} className="flex min-h-8 gap-3 border-b border-hair py-1.5">
              <dt className="w-36 shrink-0 break-all text-dim">
                <UserText>{key}</UserText>
              </dt>
              <dd className="min-w-0 flex-1 break-all">
                <MetadataValue value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function MetadataValue({ value }: { readonly value: string }) {
  const href = webAddress(value);
  if (href === null) return <UserText>{value}</UserText>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-blue underline underline-offset-2"
    >
      <UserText>{value}</UserText>
    </a>
  );
}

function webAddress(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}
