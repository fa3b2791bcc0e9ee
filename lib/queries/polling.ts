/** How often a page asks again, in milliseconds, and how far it backs off while the server does not answer. */
const everyMs = 3_000;
const backOffMsMax = 30_000;

interface PollingState {
  readonly status: 'pending' | 'error' | 'success';
  /** When the last good answer and the last failure came, by the browser's clock; 0 for never. */
  readonly dataUpdatedAt: number;
  readonly errorUpdatedAt: number;
}

export interface Polling {
  /** Paused by the operator: nothing is asked by itself, neither by time nor by focus nor on reconnection. */
  readonly isPaused: boolean;
}

/** What every query of the dashboard shares: one try at a time, and its own pace of asking again. */
export function pollingOptions({ isPaused }: Polling) {
  return {
    retry: false,
    staleTime: 1_000,
    // The server may be on this very machine: what the browser believes of the network says nothing.
    networkMode: 'always',
    refetchOnWindowFocus: !isPaused,
    refetchOnReconnect: !isPaused,
    refetchOnMount: !isPaused,
    refetchIntervalInBackground: false,
    refetchInterval: (query: { readonly state: PollingState }) =>
      isPaused ? (false as const) : nextPollMs(query.state),
  } as const;
}

/** The longer it has been failing, the longer the wait: half of the time since the last good answer. */
function nextPollMs({ status, dataUpdatedAt, errorUpdatedAt }: PollingState): number {
  if (status !== 'error' || dataUpdatedAt === 0) return everyMs;
  return Math.min(backOffMsMax, Math.max(everyMs, (errorUpdatedAt - dataUpdatedAt) / 2));
}
