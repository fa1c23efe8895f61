// The programs of examples/17-frameworks, as they stand, with the real packages: one policy folder blocks, rewrites, redacts, asks and records in each.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = join(import.meta.dirname, 'example');
const programs = readdirSync(folder).filter((name) => name.endsWith('.mjs') && name !== 'play.mjs');
assert.equal(programs.length, 5);

for (const program of programs)
  test(`${program}: tools are blocked, rewritten, redacted, asked about and recorded`, {
    timeout: 120_000,
  }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, program)], { encoding: 'utf8' });
    assert.deepEqual(
      stdout.trim().split('\n').slice(-8),
      [
        'the tool ran with: hello, rewritten, a secret',
        'the model read "not this word": yes',
        'the model read "echo: rewritten": yes',
        'the model read "echo: a [redacted]": yes',
        'the model read "echo: a secret": no',
        'the model read "is that so?": yes',
        'on the tape: ran, blocked, ran, ran, denied',
        'it said: Done.',
      ],
      stderr,
    );
  });
