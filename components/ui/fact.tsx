import type { ReactNode } from 'react';

import { CopyButton } from './copy-button';

interface FactProps {
  readonly term: string;
  readonly children: ReactNode;
  readonly copy?: string;
  readonly copyLabel?: string;
}

/** A term and what is so, as a line of a list of facts. */
export function Fact({ term, children, copy, copyLabel }: FactProps) {
  return (
    <div className="flex min-h-8 items-center gap-3 border-b border-hair py-1">
      <dt className="w-24 shrink-0 self-start py-0.5 text-dim">{term}</dt>
      <dd className="min-w-0 flex-1 break-all">{children}</dd>
      {copy !== undefined && copyLabel !== undefined && (
        <dd>
          <CopyButton text={copy} label={copyLabel} />
        </dd>
      )}
    </div>
  );
}
