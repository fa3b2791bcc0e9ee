import { followEvents, type LiveChange, type StreamState } from './event-connection';

export interface SharedListener {
  readonly onState: (state: StreamState) => void;
  readonly onChange: (change: LiveChange) => void;
}

/** What the tab that holds the stream tells the others, and `who` by which a new tab asks how it stands. */
type TabMessage =
  | { readonly kind: 'state'; readonly state: StreamState }
  | { readonly kind: 'place'; readonly lastId: string }
  | { readonly kind: 'change'; readonly change: LiveChange }
  | { readonly kind: 'who' };

const name = 'holdfast:events';

/** Where this tab knows that the stream has been; also after a pause, which so misses nothing. */
let lastId = '';

/**
 * One stream for all tabs of this browser, since a browser has few connections for one address: the tab that gets the
 * lock holds it and tells the others; when it goes, the next goes on where it was. Where tabs can't agree (no secure
 * origin, an old browser) there is no stream, and pages ask from time to time as they do anyway.
 */
export function shareEvents(listener: SharedListener): () => void {
  if (typeof BroadcastChannel === 'undefined' || !('locks' in navigator)) return () => undefined;
  const channel = new BroadcastChannel(name);
  const stopping = new AbortController();
  let state: StreamState = 'connecting';
  let isLeading = false;

  const say = (message: TabMessage) => channel.postMessage(message);
  const setState = (next: StreamState) => {
    state = next;
    listener.onState(next);
  };
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    switch (data.kind) {
      case 'state':
        setState(data.state);
        break;
      case 'place':
        lastId = data.lastId;
        break;
      case 'change':
        listener.onChange(data.change);
        break;
      case 'who':
        if (isLeading) say({ kind: 'state', state });
        break;
    }
  };
  say({ kind: 'who' });

  const lead = async () => {
    isLeading = true;
    const told = {
      onState(next: StreamState) {
        setState(next);
        say({ kind: 'state', state: next });
      },
      onPlace(place: string) {
        if (place === lastId) return;
        lastId = place;
        say({ kind: 'place', lastId: place });
      },
      onChange(change: LiveChange) {
        listener.onChange(change);
        say({ kind: 'change', change });
      },
    };
    await followEvents(told, lastId, stopping.signal);
  };
  navigator.locks.request(name, { signal: stopping.signal }, lead).catch(() => undefined);

  return () => {
    stopping.abort();
    channel.close();
  };
}
