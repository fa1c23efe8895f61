/**
 * The lines of README.md, typed by a shell in an empty folder, one after the other: what is printed there is printed here, and in the end
 * there is a rule that works and is tested.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { project } from './harness.ts';

const readme = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../README.md'), 'utf8');
const part = readme.slice(readme.indexOf('## Guard your agent'), readme.indexOf('## In a program'));

type Step =
  | { readonly file: string; readonly text: string }
  | { readonly line: string; readonly prints: string };

/** Blocks in their order: a hook goes into the file named before it, a line after `$` is typed. */
const STEPS: readonly Step[] = [...part.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(
  ({ 1: language, 2: text = '', index }): Step[] => {
    if (language === 'markdown') {
      const file = [...part.slice(0, index).matchAll(/`(\.harness\/\S+)`/g)].at(-1)![1]!;
      return [{ file, text }];
    }
    return [...text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, line, prints]) => ({
      line: line!,
      prints: prints!,
    }));
  },
);

/** `npx harness` as it is in the clone; test/package/fresh-clone.process.test.ts has npm's own. */
function shellIn(home: string) {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${CLI_FILE}' "$@"\n`);
  chmodSync(join(bin, 'npx'), 0o755);
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home, HARNESS_DAEMON: 'off' };
  return (line: string, cwd: string) => spawnSync('sh', ['-c', line], { cwd, env, encoding: 'utf8' });
}

const timeless = (text: string) => text.replace(/\d+ ms/g, '_ ms');

describe('README.md', () => {
  it('has lines to type, and a hook to write', () => {
    expect(STEPS.length).toBeGreaterThan(6);
    expect(STEPS.some((step) => 'file' in step)).toBe(true);
  });

  it('has command lines that work in the clone, where the package is not installed', () => {
    const blocks = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
    const lines = blocks.flatMap(([, language, text]) => (language === '' ? text!.split('\n') : []));
    const commands = lines.filter((line) => /\b(npx|harness|harness-hooks) [a-z]/.test(line));
    expect(commands.length).toBeGreaterThan(8);
    expect(commands.filter((line) => !/\bnpx harness [a-z]/.test(line))).toEqual([]);
  });

  it('typed line by line, gives a rule that works, is tested, and is found fault with when it is broken', () => {
    const home = project();
    const type = shellIn(home);
    let cwd = home;
    const said: string[] = [];
    for (const step of STEPS) {
      if ('file' in step) writeFileSync(join(cwd, step.file), step.text);
      else if (step.line.startsWith('cd ')) cwd = join(cwd, step.line.slice(3));
      else {
        const { stdout, stderr } = type(step.line, cwd);
        expect(stderr).toBe('');
        if (step.prints !== '') expect(timeless(stdout)).toBe(timeless(step.prints));
        said.push(stdout);
      }
    }
    const all = said.join('');
    expect(all).toContain('0 errors, 0 warnings');
    expect(all).toMatch(/(\d+) passed of \1 tests/);
    expect(all).toContain('by      generated_code');
    expect(all).toContain('did you mean block?');
  });
});
