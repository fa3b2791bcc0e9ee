interface UserTextProps {
  readonly children: string;
  readonly className?: string;
  readonly title?: string;
}

/** Text that somebody else wrote: its direction can't reorder what stands around it, and it breaks where it must. */
export function UserText({ children, className, title }: UserTextProps) {
  return (
    <bdi
      dir="auto"
      className={`font-mono wrap-anywhere whitespace-pre-wrap ${className ?? ''}`}
      title={title}
    >
      {children}
    </bdi>
  );
}
