import type { ReactNode } from 'react';

export type GlyphName =
  | 'held'
  | 'expiring'
  | 'silent'
  | 'closed'
  | 'expired'
  | 'asked'
  | 'forced'
  | 'renewed'
  | 'cleared'
  | 'reopened'
  | 'requested'
  | 'access';

const shapes: Readonly<Record<GlyphName, ReactNode>> = {
  held: <circle cx="6" cy="6" r="4" fill="currentColor" />,
  expiring: (
    <>
      <circle cx="6" cy="6" r="3.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M6 2.5a3.5 3.5 0 0 0 0 7z" fill="currentColor" />
    </>
  ),
  silent: (
    <path d="M6 1.5 10.5 6 6 10.5 1.5 6z" fill="none" stroke="currentColor" strokeWidth="1.5" />
  ),
  closed: (
    <>
      <rect x="2" y="2" width="8" height="8" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M5 2v8M7.5 2v8" stroke="currentColor" strokeWidth="1.25" />
    </>
  ),
  expired: <circle cx="6" cy="6" r="3.5" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  asked: <path d="M6 2 10.5 10h-9z" fill="currentColor" />,
  renewed: <path d="M1.5 9.5h9M6 9.5V4" stroke="currentColor" strokeWidth="1.5" />,
  cleared: <path d="M2.5 6h7" stroke="currentColor" strokeWidth="1.5" />,
  reopened: <path d="M2 5V2h8v8H2V8" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  requested: <path d="M10 6H3m3-3L3 6l3 3" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  access: (
    <path
      d="M6 1.5a2 2 0 1 1 0 4.2 2 2 0 0 1 0-4.2zM2 10.5a4 3.2 0 0 1 8 0"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    />
  ),
  forced: <path d="m2.5 2.5 7 7m0-7-7 7" stroke="currentColor" strokeWidth="1.75" />,
};

/** The state's sign, drawn rather than taken from whatever font is there, so that it is the same everywhere. */
export function StateGlyph({ name }: { readonly name: GlyphName }) {
  return (
    <svg aria-hidden="true" width="12" height="12" viewBox="0 0 12 12" className="shrink-0">
      {shapes[name]}
    </svg>
  );
}
