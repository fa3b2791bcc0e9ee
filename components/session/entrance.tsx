'use client';

import type { ReactNode } from 'react';

import { LanguageSwitch, ThemeSwitch } from '../shell/app-bar';
import { LogoMark } from '../shell/logo-mark';

interface EntranceProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** A page in front of the dashboard: the product's name, one question, and how one reads. */
export function Entrance({ title, children }: EntranceProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-11 items-center gap-3 border-b border-hair bg-surface px-3 sm:px-5">
        <span className="flex h-7 items-center gap-2 font-strong">
          <LogoMark />
          Holdfast
        </span>
        <div className="ms-auto flex items-center gap-1 sm:gap-2">
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </header>
      <main
        id="main"
        className="mx-auto flex w-full max-w-[26rem] flex-col gap-5 px-4 pt-10 pb-16 sm:pt-[12vh]"
      >
        <h1 className="text-name font-strong">{title}</h1>
        {children}
      </main>
    </div>
  );
}
