// Every list, filter, history and statistic that the API answers, on the names that `fill.mjs` makes.
const dayMs = 24 * 60 * 60 * 1000;

const lists = {
  'by time left': '',
  'by name': 'sort=resource',
  'by name, descending': 'sort=-resource',
  'by owner': 'sort=owner',
  'by time acquired': 'sort=-acquired_at',
  'by fence': 'sort=-fencing_token',
  'of all states': 'state=all',
  'of 500': 'state=all&limit=500',
  expired: 'state=expired',
  silent: 'condition=silent',
  closed: 'condition=closed',
  expiring: 'condition=expiring',
  'asked for': 'asked_min=1',
  'text, found': 'q=job-777',
  'text, nowhere': 'q=nothing-like-it',
  prefix: 'prefix=group-7/',
  'prefix, by name': 'prefix=group-7/&sort=resource',
  owner: 'owner=worker-77',
  'owner prefix': 'owner_prefix=worker-7',
  client: 'client=client-7',
  fence: 'fencing_token=7777',
  'client and text': 'client=client-7&q=job-5',
};

const trails = {
  all: '',
  'one kind, rare': 'kind=force_released',
  'one kind, common': 'kind=acquired',
  'people’s': 'kind=operator',
  leases: 'kind=lease',
  actor: 'actor=ann',
  client: 'client=client-7',
  resource: 'resource=group-7/job-7',
  prefix: 'resource=group-7/*',
  'prefix, nowhere': 'resource=nothing/*',
  'prefix and kind': 'resource=group-7/*&kind=expired',
  'client and kind': 'client=client-7&kind=contended',
};

export function allCalls(nowMs) {
  const at = (days) => new Date(nowMs - days * dayMs).toISOString();
  const one = encodeURIComponent('group-7/job-7');
  return [
    ...Object.entries(lists).map(([title, query]) => [`list, ${title}`, `/api/locks?${query}`]),
    ['list, second page', '/api/locks?state=all&limit=500', 'next_cursor'],
    ...Object.entries(trails).map(([title, query]) => [
      `history, ${title}`,
      `/api/events?${query}`,
    ]),
    ['history, a day in the past', `/api/events?since=${at(20)}&until=${at(19)}`],
    ['history, second page', '/api/events?limit=500', 'next_cursor'],
    ['history of one lock', `/api/locks/${one}/events`],
    ['one lock', `/api/locks/${one}`],
    ['who asks for it', `/api/locks/${one}/contention`],
    ['what is usual for it', `/api/locks/${one}/stats`],
    ...['15m', '1h', '6h', '24h', '7d', '30d'].map((range) => [
      `statistics, ${range}`,
      `/api/stats?range=${range}`,
    ]),
  ];
}
