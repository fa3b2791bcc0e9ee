/** A lease that crosses now. */
export function LogoMark() {
  return (
    <svg aria-hidden="true" width="22" height="22" viewBox="0 0 22 22" fill="none">
      <path d="M2 11h15M17 7v8" stroke="currentColor" strokeWidth="2.5" />
      <path d="M12 2v18" stroke="var(--color-blue)" strokeWidth="2" />
    </svg>
  );
}
