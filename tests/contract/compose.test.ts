import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { variableNames } from '@/lib/server/env';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({ image: z.string(), environment: z.record(z.string(), z.string()) }),
  ),
});
const { services } = composeFile.parse(parse(read('compose.yaml'), { merge: true }));
const instances = Object.entries(services).filter(([, { image }]) => image === 'holdfast');

describe('what is told how to run the service names variables that it reads', () => {
  test('compose.yaml', () => {
    expect(instances).toHaveLength(2);
    for (const [, { environment }] of instances) {
      expect(Object.keys(environment).filter((name) => !variableNames.includes(name))).toEqual([]);
    }
  });

  test('the Dockerfile', () => {
    const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(read('Dockerfile')) ?? [];
    const names = [...block.matchAll(/(\w+)=/g)].map(([, name = '']) => name);
    const ofNode = ['NODE_ENV', 'NEXT_TELEMETRY_DISABLED'];
    expect(names).toContain('DATABASE_URL');
    expect(names.filter((name) => ![...variableNames, ...ofNode].includes(name))).toEqual([]);
  });

  test('the proxy is given each address that its configuration asks for', () => {
    const asked = [...read('deploy/haproxy.cfg').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
    const given = Object.keys(services['proxy']?.environment ?? {});
    expect(given).toEqual(expect.arrayContaining(['HOLDFAST_1', 'HOLDFAST_2', 'PROXY_LISTEN']));
    expect(asked).toEqual(expect.arrayContaining(given));
    expect(given.filter((name) => name.startsWith('HOLDFAST_'))).toHaveLength(instances.length);
  });

  test('docs/operating.md has a row for every variable', () => {
    const documented = read('docs/operating.md');
    // Those of OpenID Connect share a row, in a short form.
    const plain = variableNames.filter((name) => !name.startsWith('HOLDFAST_OIDC_'));
    expect(plain.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });
});
