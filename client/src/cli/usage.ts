/** The command line's own words: its help, its exit codes, its errors of usage. */

export const exitCodes = {
  ok: 0,
  /** `check`: the token is not valid. `show`: nobody holds the lock. An operator's command: not that lease. */
  no: 1,
  usage: 64,
  unavailable: 69,
  internal: 70,
  notAcquired: 75,
  lost: 76,
  notAllowed: 77,
  notExecutable: 126,
  notFound: 127,
} as const;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const help = `holdfast: locks around programs

  holdfast run NAME [--ttl 30s] [--wait 0s] [--max-hold 1h] [--kill-after 10s]
               [--job TEXT] [--link URL] -- COMMAND [ARGUMENT…]
  holdfast ls [--prefix TEXT] [--q TEXT] [--owner OWNER] [--state active|expired|all] [--limit 100]
  holdfast show NAME
  holdfast history NAME [--limit 20]
  holdfast watch [NAME]
  holdfast check NAME TOKEN
  holdfast force-release NAME --token TOKEN --reason TEXT [--hold 5m]
  holdfast hold NAME --reason TEXT [--ttl 1h] [--token TOKEN]
  holdfast login [--url URL]        reads the key from its input
  holdfast completion bash|zsh

  Everywhere: --url URL, --json (for programs), --help, --version
  A duration is a number with ms, s, m, h or d.

  HOLDFAST_URL, HOLDFAST_API_KEY    where the service is, and the key; else what login has stored

  run gives the command HOLDFAST_RESOURCE, HOLDFAST_OWNER and HOLDFAST_FENCING_TOKEN, and exits with the command's
  own code, 128 + N if signal N ended it, or

    64  wrong usage              75  not acquired: somebody else holds the lock
    69  service unavailable      76  lost: the lease ended before the command; the command was ended
    77  not allowed              126  the command may not be executed
    70  a fault of holdfast      127  the command was not found

  The others exit with 0, one of these, or 1 for a no: show and nobody holds the lock, check and the token is not valid,
  force-release or hold and the lease is not the one that was named.
`;
