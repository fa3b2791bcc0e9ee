import { expect, test } from 'vitest';

import { version } from '@/lib/server/version';
import { version as packaged } from '@/package.json';

test('the version that the metrics tell is that of the package', () => {
  expect(version).toBe(packaged);
});
