import { describe, expect, test } from 'vitest';

import { parseRedisUrl } from './redis-url';

const plain = {
  primary: null,
  tls: null,
  username: null,
  password: null,
  sentinelPassword: null,
  database: 0,
};

describe('the address of a Redis', () => {
  test.each([
    ['redis://locks', { kind: 'single', hosts: [{ host: 'locks', port: 6379 }], ...plain }],
    [
      'rediss://:p%40ss%3A@10.0.0.1:6380/3',
      {
        ...plain,
        kind: 'single',
        hosts: [{ host: '10.0.0.1', port: 6380 }],
        tls: { ca: null, cert: null, key: null },
        password: 'p@ss:',
        database: 3,
      },
    ],
    [
      'rediss://locks/1?sslrootcert=/etc/ca.pem&sslcert=/etc/me%20too.pem&sslkey=/etc/me.key',
      {
        ...plain,
        kind: 'single',
        hosts: [{ host: 'locks', port: 6379 }],
        tls: { ca: '/etc/ca.pem', cert: '/etc/me too.pem', key: '/etc/me.key' },
        database: 1,
      },
    ],
    [
      'redis+sentinel://one/mymaster?sentinelpassword=a%26b',
      {
        ...plain,
        kind: 'sentinel',
        hosts: [{ host: 'one', port: 26_379 }],
        primary: 'mymaster',
        sentinelPassword: 'a&b',
      },
    ],
    ['valkey://[::1]:7000', { kind: 'single', hosts: [{ host: '::1', port: 7000 }], ...plain }],
    [
      'redis+sentinel://ann:secret@one,two:26380/mymaster/2',
      {
        ...plain,
        kind: 'sentinel',
        hosts: [
          { host: 'one', port: 26_379 },
          { host: 'two', port: 26_380 },
        ],
        primary: 'mymaster',
        username: 'ann',
        password: 'secret',
        database: 2,
      },
    ],
    [
      'redis+cluster://one:7001,two:7002',
      {
        ...plain,
        kind: 'cluster',
        hosts: [
          { host: 'one', port: 7001 },
          { host: 'two', port: 7002 },
        ],
      },
    ],
  ])('%s names what it says', (url, expected) => {
    expect(parseRedisUrl(url)).toEqual(expected);
  });

  test.each([
    'http://host',
    'redis://',
    'redis://one,two',
    'redis://host:99999',
    'redis://host/zero',
    'redis://host/0/1',
    'redis://host?db=1',
    'redis://host?hidden!!!=1',
    'redis://host?sslrootcert=/etc/ca.pem',
    'rediss://host?sslcert=/etc/me.pem',
    'rediss://host?sslkey=/etc/me.key',
    'redis+cluster://one?sentinelpassword=hidden',
    'redis+sentinel://one:26379',
    'redis+cluster://one:7000/1',
    'redis://:%zz@host',
    'redis://:hidden@ho st',
  ])('%s is refused in words that do not repeat it', (url) => {
    const problem = parseRedisUrl(url);
    expect(typeof problem).toBe('string');
    expect(problem).not.toContain('hidden');
  });
});
