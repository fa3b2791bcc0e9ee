interface UserTextProps {
  readonly children: string;
  /** A sentence, as a reason is, and no name or id. */
  readonly isProse?: boolean;
}

/** Text that somebody else wrote: its direction can't reorder what stands around it, and it breaks where it must. */
export function UserText({ children, isProse = false }: UserTextProps) {
  return (
    <bdi dir="auto" className={`wrap-anywhere whitespace-pre-wrap ${isProse ? '' : 'font-mono'}`}>
      {children}
    </bdi>
  );
}
