'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { Monitor, Moon, Sun } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { AccountMenu } from '../session/account-menu';
import { usePages } from '../session/pages';
import { useTimes } from '../ui/use-times';
import { LiveStatus, type Liveness } from './live-status';
import { LogoMark } from './logo-mark';
import { usePreferences } from './preferences-context';
import { themes } from './preferences';

/** The bar over every page: where one is, whether what one sees is current, and how it is written. */
export function AppBar({ liveness }: { readonly liveness: Liveness }) {
  const t = useTranslations('bar');
  return (
    <>
      <a
        href="#main"
        className="fixed top-1 left-1 z-50 -translate-y-16 rounded-control bg-blue px-3 py-1.5 text-surface focus:translate-y-0"
      >
        {t('skip')}
      </a>
      <header className="sticky top-0 z-20 flex h-11 items-center gap-3 border-b border-hair bg-surface px-3 sm:px-5">
        <nav aria-label={t('pages')} className="flex items-center gap-3">
          <Link href="/locks" className="flex h-7 items-center gap-2 font-strong">
            <LogoMark />
            <span className="max-sm:sr-only">Holdfast</span>
          </Link>
          <PageLinks />
        </nav>
        <div className="ms-auto flex items-center gap-1 sm:gap-2">
          <LiveStatus liveness={liveness} />
          <ZoneSwitch />
          <LanguageSwitch />
          <ThemeSwitch />
          <AccountMenu />
        </div>
      </header>
    </>
  );
}

function PageLinks() {
  const pages = usePages();
  const pathname = usePathname();
  return pages.map(({ href, label }) => (
    <Link
      key={href}
      href={href}
      aria-current={isWithin(pathname, href) ? 'page' : undefined}
      className="flex h-7 items-center px-1 text-text whitespace-nowrap text-dim hover:text-ink aria-[current=page]:text-ink max-lg:hidden"
    >
      {label}
    </Link>
  ));
}

function isWithin(pathname: string, href: string): boolean {
  return pathname === href || pathname.startsWith(`${href}/`);
}

const switchClass =
  'inline-flex h-7 min-w-7 items-center justify-center rounded-control border border-transparent px-1.5 text-cell hover:border-control';

function ZoneSwitch() {
  const t = useTranslations('bar');
  const { zone, setZone } = usePreferences();
  const { zoneLabel } = useTimes();
  return (
    <button
      type="button"
      className={switchClass}
      title={t('zoneHint')}
      onClick={() => setZone(zone === 'utc' ? 'local' : 'utc')}
    >
      <span className="sr-only">{t('zone')} </span>
      {/* The name of the zone here is known to the browser alone. */}
      <span suppressHydrationWarning>{zoneLabel}</span>
    </button>
  );
}

export function LanguageSwitch() {
  const t = useTranslations('bar');
  const { setLocale } = usePreferences();
  const other = t('otherLanguageCode') === 'ja' ? 'ja' : 'en';
  return (
    <button type="button" className={switchClass} lang={other} onClick={() => setLocale(other)}>
      {t('otherLanguage')}
    </button>
  );
}

const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const;

export function ThemeSwitch() {
  const t = useTranslations('bar');
  const { theme, setTheme } = usePreferences();
  const Icon = themeIcons[theme];
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <button
      type="button"
      className={switchClass}
      aria-label={t(`theme.${theme}`)}
      title={t(`theme.${theme}`)}
      onClick={() => setTheme(next)}
    >
      <Icon aria-hidden="true" size={15} />
    </button>
  );
}
