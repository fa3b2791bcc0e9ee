/** While the first answer is on its way: the shape of rows, drawn only if it takes longer than one would notice. */
export function LoadingRows({ label }: { readonly label: string }) {
  return (
    <div role="status" className="late">
      <span className="sr-only">{label}</span>
      {['w-1/3', 'w-1/4', 'w-2/5', 'w-1/5', 'w-1/3', 'w-1/4'].map((width, index) => (
        <div
          key={index}
          aria-hidden="true"
          className="flex h-9 items-center gap-6 border-b border-hair bg-surface px-3 sm:px-5"
        >
          <span className="h-2.5 w-16 rounded-control bg-hair" />
          <span className={`h-2.5 rounded-control bg-hair ${width}`} />
          <span className="h-2.5 w-24 rounded-control bg-hair" />
        </div>
      ))}
    </div>
  );
}
