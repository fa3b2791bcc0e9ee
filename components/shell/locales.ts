import en from '@/messages/en.json';
import ja from '@/messages/ja.json';

export const locales = ['en', 'ja'] as const;
export type Locale = (typeof locales)[number];

export type Messages = typeof en;

const catalogues: Readonly<Record<Locale, Messages>> = { en, ja };

export function messagesOf(locale: Locale): Messages {
  return catalogues[locale];
}

export function isLocale(word: string | undefined): word is Locale {
  return locales.some((locale) => locale === word);
}

/** The first language of an `Accept-Language` header that there is a catalogue for, by its weight. */
export function chooseLocale(acceptLanguage: string | null): Locale {
  const wanted = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const weight = parameters.find((parameter) => parameter.trim().startsWith('q='));
      return { language: tag.split('-')[0], weight: Number(weight?.trim().slice(2) ?? 1) };
    })
    .sort((a, b) => b.weight - a.weight);
  return wanted.map(({ language }) => language).find(isLocale) ?? 'en';
}

declare module 'use-intl' {
  interface AppConfig {
    Locale: Locale;
    Messages: Messages;
  }
}
