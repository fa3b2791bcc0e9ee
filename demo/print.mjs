// What the demo says.

export function progressLine(counts, tally) {
  const held = counts === null ? 'no answer' : `held ${counts.active}, expired ${counts.expired}`;
  const { granted, denied, renewed, released, crashed } = tally;
  return `${held.padEnd(22)} granted ${granted}, denied ${denied}, renewed ${renewed}, released ${released}, crashed ${crashed}`;
}

export function formatElapsed(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export function printOutcome({ findings, problems, crashes, expiredNow, resources }) {
  const { counts } = findings;
  const lines = [
    ['granted', counts.granted, ''],
    ['denied', counts.denied, 'somebody else held the lock'],
    ['renewed', counts.renewed, ''],
    ['released', counts.released, ''],
    ['forgotten', counts.forgotten, 'leases that their owner left to run out'],
    ['crashed', crashes, `processes killed while holding, ${counts.leftByCrashes} leases in all`],
    ['taken over', counts.claimed, 'expired leases that another owner claimed'],
    ['expired', expiredNow, 'leases that ran out and that nobody has claimed yet'],
    ['overran', counts.overran, 'work outlasted its lease, and its owner stopped'],
    ['lost', counts.lost, 'leases that had gone to another owner before a renewal or release'],
    ['evicted', counts.evicted, 'ended by an operator'],
    ['unanswered', counts.unanswered, 'calls to which no answer came'],
  ];
  console.log('\nWhat happened');
  for (const [word, count, remark] of lines) {
    console.log(`  ${word.padEnd(11)}${String(count).padStart(6)}  ${remark}`.trimEnd());
  }
  console.log(
    `\nCompared ${findings.leases} leases in the workers' records with ${findings.events} events of ${resources.length} resources.`,
  );
  if (problems.length === 0) {
    console.log('No two leases on one resource overlapped, and tokens only rose.');
    return;
  }
  console.log(`FAILED: ${problems.length} problem${problems.length === 1 ? '' : 's'}`);
  for (const problem of problems.slice(0, 20)) console.log(`  - ${problem}`);
}
