import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

test('the kinds of tools that the tests know are those of the types of the real packages', () => {
  const tsc = join(realpathSync('node_modules/harness-hooks'), 'node_modules/typescript/bin/tsc');
  const flags =
    '--noEmit --strict --skipLibCheck --allowJs --checkJs --module nodenext --target es2022'.split(' ');
  const { stdout } = spawnSync(process.execPath, [tsc, ...flags, 'kinds.mjs'], { encoding: 'utf8' });
  assert.equal(stdout, '');
});
