// Who takes part in the demo: the reports to be made, and what each worker process is like.

const tenants =
  'alder aspen beech birch cedar cypress elder elm fir hawthorn hazel holly juniper larch linden maple oak pine poplar rowan spruce sycamore willow yew'.split(
    ' ',
  );
const reports =
  'balances churn deliveries disputes fees invoices orders payouts refunds sessions stock usage'.split(
    ' ',
  );

export const reportResources = tenants.flatMap((tenant) =>
  reports.map((report) => `report:nightly/${tenant}-${report}`),
);

/** The one that two workers fight over. */
export const contestedResource = 'report:nightly/all-ledger';

/**
 * A role:
 * - `slots`: how many reports the process makes at the same time;
 * - `workMs`: from and to, how long one report takes;
 * - `forgets`: the share of leases that are neither renewed to the end nor released;
 * - `crashAfterMs`: from and to, when it is killed while it holds something; absent for those that live;
 * - `insists`: asks again for a resource that is held, in place of going on to another.
 */
const steady = { slots: 8, ttlMs: 9_000, workMs: [2_000, 8_000] };
const slow = { slots: 6, ttlMs: 6_000, workMs: [14_000, 24_000] };
const crashing = { slots: 4, ttlMs: 8_000, workMs: [5_000, 9_000], crashAfterMs: [6_000, 13_000] };
const forgetful = { slots: 3, ttlMs: 5_000, workMs: [2_000, 4_000], forgets: 0.5 };
const rival = { slots: 1, ttlMs: 4_000, workMs: [600, 1_800], insists: true };

export const workerRoles = [
  { name: 'steady-1', ...steady },
  { name: 'steady-2', ...steady },
  { name: 'steady-3', ...steady },
  { name: 'slow-1', ...slow },
  { name: 'slow-2', ...slow },
  { name: 'crashing-1', ...crashing },
  { name: 'crashing-2', ...crashing },
  { name: 'forgetful-1', ...forgetful },
  { name: 'rival-1', ...rival },
  { name: 'rival-2', ...rival },
].map((role) => ({
  forgets: 0,
  insists: false,
  ...role,
  resources: role.insists ? [contestedResource] : reportResources,
}));

export const longestTtlMs = Math.max(...workerRoles.map((role) => role.ttlMs));
