'use client';

import { useTranslations } from 'use-intl';

import { Button } from '../ui/button';
import { Modal } from '../ui/modal';
import { usePreferences } from './preferences-context';

const keys = ['/', 'j', 'k', 'Enter', 'x', 'c', 'r', 'Space', 'z', '?'] as const;
const words = {
  '/': 'search',
  j: 'next',
  k: 'previous',
  Enter: 'open',
  x: 'select',
  c: 'copy',
  r: 'end',
  Space: 'pause',
  z: 'zone',
  '?': 'help',
} as const;

/** Which keys do what, and the switch that turns them off for those who dictate or slip. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useTranslations('keys');
  const { areSingleKeysOn, setSingleKeys } = usePreferences();
  return (
    <Modal title={t('title')} onClose={onClose} className="sm:w-[26rem]">
      <dl className="grid grid-cols-[5rem_1fr] gap-y-1.5">
        {keys.map((key) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-control border border-control px-1.5 font-mono text-cell">
                {key}
              </kbd>
            </dt>
            <dd>{t(words[key])}</dd>
          </div>
        ))}
      </dl>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={areSingleKeysOn}
          onChange={(event) => setSingleKeys(event.target.checked)}
          className="size-4 accent-blue"
        />
        {t('on')}
      </label>
      <div className="flex justify-end">
        <Button onClick={onClose}>{t('close')}</Button>
      </div>
    </Modal>
  );
}
