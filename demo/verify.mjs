// The verdict: do the workers' records and the service's history agree that nothing was ever held twice?

const grants = new Set(['acquired', 'reacquired', 'claimed', 'held']);
const ends = new Set(['released', 'force_released', 'cleared', 'reopened', 'expired']);

/**
 * @param records from `readRecords`.
 * @param events of each resource, oldest first.
 * @returns the `problems`, a sentence each, and the counts of what happened.
 */
export function findProblems({ records, events, runId }) {
  const { leases } = records;
  const all = [...events.values()].flat();
  const ours = all.filter(({ owner }) => owner?.startsWith(`${runId}.`) ?? false);
  const evicted = new Set(
    all.filter(({ kind }) => kind === 'force_released').map((event) => event.fencing_token),
  );
  const expiries = new Map(leases.map(({ token, expiresAtMs }) => [token, expiresAtMs]));
  const problems = [
    ...overlaps(leases, evicted),
    ...[...events].flatMap(([resource, history]) => historyProblems(resource, history, expiries)),
    ...disagreements(records, ours),
  ];
  if (leases.length === 0) problems.push('No lock was granted at all');
  return {
    problems,
    counts: countsOf(records, ours, evicted),
    leases: leases.length,
    events: all.length,
  };
}

/**
 * On one resource nobody may begin to rely on a lease while another still relies on an earlier one, and a later lease
 * has a larger token. A lease that an operator ended is judged by the history alone: its owner was not stopped.
 */
function overlaps(leases, evictedTokens) {
  const problems = [];
  for (const [resource, held] of byResource(leases)) {
    held.sort((one, other) => one.fromMs - other.fromMs);
    let last = null;
    for (const lease of held) {
      if (last !== null && lease.token <= last.token) {
        problems.push(`${resource}: token ${lease.token} was granted after ${last.token}`);
      }
      if (last !== null && last.untilMs - lease.fromMs > last.errorMs + lease.errorMs) {
        const ms = (last.untilMs - lease.fromMs).toFixed(1);
        problems.push(`${resource}: ${last.owner} and ${lease.owner} both held it for ${ms} ms`);
      }
      // The one that is relied on longest is what the next must not overlap.
      const isLonger = last === null || lease.untilMs >= last.untilMs;
      if (!evictedTokens.has(lease.token) && isLonger) last = lease;
    }
  }
  return problems;
}

/** In the history each grant needs the end of the lease before it, and a claim needs its expiry. */
function historyProblems(resource, history, expiries) {
  const problems = [];
  const say = (event, what) =>
    problems.push(`${resource}: ${event.kind} ${event.fencing_token} ${what}`);
  let current = null;
  let largest = 0;
  for (const event of history) {
    const { kind, fencing_token: token } = event;
    const isProlonged = kind === 'held' && current?.fencing_token === token;
    if (grants.has(kind) && !isProlonged) {
      if (token <= largest) say(event, `came after token ${largest}`);
      if (current !== null && !mayFollow(event, current, expiries)) {
        say(event, `while lease ${current.fencing_token} of ${current.owner} was not over`);
      }
    }
    if (grants.has(kind)) {
      current = event;
      largest = Math.max(largest, token);
    } else if (ends.has(kind)) {
      if (current !== null && current.fencing_token !== token) {
        say(event, `ended a lease that ${current.fencing_token} had followed`);
      }
      current = null;
    }
  }
  return problems;
}

function mayFollow(event, current, expiries) {
  if (event.kind === 'reacquired') return event.owner === current.owner;
  if (event.kind === 'acquired') return false;
  // The latest expiry that the earlier owner was told, by the store's clock like the event's own time.
  const told = expiries.get(current.fencing_token) ?? 0;
  return Date.parse(event.at) >= Math.max(told, Date.parse(current.expires_at));
}

/** Every lease that a worker recorded stands in the history under its owner, and the other way round. */
function disagreements({ leases, unanswered }, ours) {
  const problems = [];
  const granted = ours.filter(({ kind }) => grants.has(kind));
  const ownerOfToken = new Map(granted.map((event) => [event.fencing_token, event.owner]));
  const recorded = new Set(leases.map(({ token }) => token));
  for (const { token, owner, resource } of leases) {
    if (ownerOfToken.get(token) !== owner) {
      problems.push(`${resource}: the history does not know that ${owner} was granted ${token}`);
    }
  }
  const released = new Set(
    ours.filter(({ kind }) => kind === 'released').map((event) => event.fencing_token),
  );
  for (const { token, owner, resource, how } of leases) {
    if (how === 'released' && !released.has(token)) {
      problems.push(`${resource}: the history does not know that ${owner} released ${token}`);
    }
  }
  // A grant whose answer got lost, by a crash or on the way, is in nobody's records.
  const crashes = leases.filter(({ how }) => how === 'crashed').length;
  const unrecorded = granted.filter(({ fencing_token: token }) => !recorded.has(token)).length;
  if (unrecorded > 0 && crashes + unanswered === 0) {
    problems.push(`${unrecorded} grants of the history are in no worker's records`);
  }
  return problems;
}

function countsOf({ leases, denied, renewed, unanswered }, ours, evictedTokens) {
  // A release that finds nothing does not say why; the history does.
  const howOf = ({ how, token }) => (how === 'lost' && evictedTokens.has(token) ? 'evicted' : how);
  const ended = (how) => leases.filter((lease) => howOf(lease) === how).length;
  const claimed = ours.filter(({ kind }) => kind === 'claimed').length;
  return {
    granted: leases.length,
    denied,
    renewed,
    released: ended('released'),
    forgotten: ended('forgotten'),
    leftByCrashes: ended('crashed'),
    overran: ended('overran'),
    lost: ended('lost'),
    evicted: ended('evicted'),
    unanswered: unanswered + ended('unknown'),
    claimed,
  };
}

function byResource(leases) {
  const groups = new Map();
  for (const lease of leases) {
    const group = groups.get(lease.resource);
    if (group === undefined) groups.set(lease.resource, [lease]);
    else group.push(lease);
  }
  return groups;
}
