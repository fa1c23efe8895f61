import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

test('what the documents show of each framework compiles, with the types of the real packages', () => {
  const tsc = join(realpathSync('node_modules/harness-hooks'), 'node_modules/typescript/bin/tsc');
  const flags = '--noEmit --strict --skipLibCheck --module nodenext --target es2022'.split(' ');
  const { stdout } = spawnSync(process.execPath, [tsc, ...flags, 'samples.mts'], { encoding: 'utf8' });
  assert.equal(stdout, '');
});
