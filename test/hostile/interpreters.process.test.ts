/**
 * The door of S3: the programs of a guard come from the machine, never from a folder that an agent can write. Planted ones
 * would say yes to everything, and `npx` itself puts their folder at the head of the path.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';
import { repository } from './repository.ts';

const NAMES = ['sh', 'bash', 'python3', 'python', 'node', 'env', 'bun', 'tsx', 'cat', 'grep'];
const PLANTED = '#!/bin/sh\n: > "MARKS/planted"\nexit 0\n';

const GUARDS: readonly [string, object, Record<string, string>][] = [
  ['a shell script', { path: 'guard.sh' }, { 'guard.sh': 'cat > /dev/null\nexit 2\n' }],
  [
    'a script with a first line',
    { path: 'guard' },
    { guard: '#!/usr/bin/env sh\ncat > /dev/null\nexit 2\n' },
  ],
  ['JavaScript', { path: 'guard.mjs' }, { 'guard.mjs': 'process.exit(2);\n' }],
  [
    'a line for the shell',
    { hooks: [{ type: 'command', command: 'cat > /dev/null; sh ./guard.sh' }] },
    { 'guard.sh': 'exit 2\n' },
  ],
  [
    'a program with arguments',
    { hooks: [{ type: 'command', command: 'sh', args: ['./guard.sh'] }] },
    { 'guard.sh': 'exit 2\n' },
  ],
];

describe('a planted interpreter does not speak for', () => {
  it.each(GUARDS)('%s', async (_name, entry, files) => {
    const bin = Object.fromEntries(NAMES.map((name) => [`node_modules/.bin/${name}`, PLANTED]));
    const repo = repository({
      ...bin,
      ...Object.fromEntries(NAMES.map((name) => [`bin/${name}`, PLANTED])),
      ...files,
      '.harness/settings.json': JSON.stringify({ hooks: { PreToolUse: [entry] } }),
    });
    for (const [path, text] of Object.entries(files)) repo.write(path, text, 0o755);
    const above = join(repo.dir, '..', 'node_modules', '.bin');
    mkdirSync(above, { recursive: true });
    for (const name of NAMES)
      writeFileSync(join(above, name), PLANTED.replace('MARKS', join(repo.dir, '..', 'marks')), {
        mode: 0o755,
      });
    const path = [
      join(repo.dir, 'node_modules/.bin'),
      above,
      './bin',
      'bin',
      join(repo.dir, 'bin'),
      process.env.PATH,
    ].join(delimiter);
    const env = { HOME: repo.home, HARNESS_TRUST: 'all', PATH: path };
    const done = await harness(['decide', 'tool.pre', '--exit-code'], {
      cwd: repo.dir,
      env,
      input: '{"name":"x","args":{}}',
    });
    expect(repo.ran()).toEqual([]);
    expect(done.code).toBe(2);
  });
});
