interface UserTextProps {
  readonly children: string;
  readonly className?: string;
  readonly title?: string;
}

/** Text that somebody else wrote, set apart so that its direction can't reorder what stands around it. */
export function UserText({ children, className, title }: UserTextProps) {
  return (
    <bdi dir="auto" className={`font-mono whitespace-pre-wrap ${className ?? ''}`} title={title}>
      {children}
    </bdi>
  );
}
