'use client';

import Link from 'next/link';
import { useState } from 'react';

import { lockHref } from '@/lib/queries/paths';

import { CutText } from '../ui/cut-text';

/** The name of a row, leading to its page. Where it is cut, the whole of it stands below while it has the focus. */
export function NameLink({ resource }: { readonly resource: string }) {
  const [isCut, setCut] = useState(false);
  return (
    <Link
      href={lockHref(resource)}
      prefetch={false}
      data-row-link=""
      onFocus={(event) => setCut(hasCutText(event.currentTarget))}
      className="group/name relative flex min-w-0 rounded-control py-0.5 underline-offset-2 hover:underline"
    >
      <CutText text={resource} isPath />
      {isCut && (
        <bdi
          aria-hidden="true"
          dir="auto"
          className="absolute start-0 top-full z-10 mt-1 hidden w-max max-w-[min(40rem,80vw)] rounded-control border border-control bg-surface px-2 py-1 font-mono break-all whitespace-pre-wrap group-focus-visible/name:block"
        >
          {resource}
        </bdi>
      )}
    </Link>
  );
}

function hasCutText(link: HTMLElement): boolean {
  return [...link.querySelectorAll('bdi > span')].some(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
  );
}
