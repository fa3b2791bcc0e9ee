import { HiddenCharactersMark } from './hidden-characters';

/** From so many characters on, a name in larger type would fill a small screen. */
const longName = 80;

/** All of a name, over as many lines as it takes: where it is the title, or about to be acted on. */
export function FullName({ resource }: { readonly resource: string }) {
  const leafStart = resource.lastIndexOf('/', resource.length - 2) + 1;
  return (
    <>
      <bdi
        dir="auto"
        className={`min-w-0 font-mono break-all wrap-anywhere whitespace-pre-wrap ${resource.length > longName ? 'text-text' : ''}`}
      >
        <span className="text-dim">{resource.slice(0, leafStart)}</span>
        <span className="font-strong">{resource.slice(leafStart)}</span>
      </bdi>
      <HiddenCharactersMark text={resource} />
    </>
  );
}
