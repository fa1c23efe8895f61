import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Machine, planScript } from './script.ts';

const dir = mkdtempSync(join(tmpdir(), 'harness-script-'));
const bin = join(dir, 'bin');
/** What is installed on the machine, outside the project. */
const installed = mkdtempSync(join(tmpdir(), 'harness-installed-'));
afterAll(() => {
  for (const made of [dir, installed]) rmSync(made, { recursive: true, force: true });
});

function file(name: string, text: string, executable = false): string {
  writeFileSync(join(dir, name), text);
  if (executable) chmodSync(join(dir, name), 0o755);
  return name;
}

function machine(path: string, version = '20.20.2'): Machine {
  return { env: (name) => (name === 'PATH' ? path : undefined), node: { path: '/node', version } };
}

const plan = (name: string, on: Machine = machine('/usr/bin:/bin')) => planScript(dir, name, on);

beforeAll(() => {
  mkdirSync(bin);
  for (const name of ['bun', 'tsx']) {
    mkdirSync(join(installed, name));
    writeFileSync(join(installed, name, name), '', { mode: 0o755 });
  }
});

describe('what runs a script', () => {
  it('an executable with an interpreter that is there runs as it is', async () => {
    file('run.py', '#!/usr/bin/env sh\n', true);
    file('absolute', '#!/bin/sh -e\n', true);
    expect(await plan('run.py')).toEqual({ ok: true, argv: [join(dir, 'run.py')] });
    expect(await plan('absolute')).toEqual({ ok: true, argv: [join(dir, 'absolute')] });
  });

  it('one without a first line runs as it is, unless its name tells the interpreter', async () => {
    file('plain', 'echo hi\n', true);
    file('plain.mjs', 'console.log(1)\n', true);
    expect(await plan('plain')).toEqual({ ok: true, argv: [join(dir, 'plain')] });
    expect(await plan('plain.mjs')).toEqual({ ok: true, argv: ['/node', join(dir, 'plain.mjs')] });
  });

  it('one that is not executable runs with the interpreter of its first line, or of its name', async () => {
    file('a.sh', '#!/bin/sh -u\n');
    file('b.js', '\n');
    expect(await plan('a.sh')).toEqual({ ok: true, argv: ['/bin/sh', '-u', join(dir, 'a.sh')] });
    expect(await plan('b.js')).toEqual({ ok: true, argv: ['/node', join(dir, 'b.js')] });
  });

  it('a script outside the project may be named absolutely', async () => {
    expect(await plan('/bin/sh')).toEqual({ ok: true, argv: ['/bin/sh'] });
  });
});

/** Another name for a folder, outside the project. */
function linked(at: string): string {
  const link = join(installed, `link-${Math.floor(performance.now() * 1000)}`);
  symlinkSync(at, link);
  return link;
}

/** Node itself, with types taken out. */
const STRIPPED = ['/node', '--import', expect.stringContaining('register.mjs'), expect.any(String)];

describe('TypeScript', () => {
  const script = () => file('guard.ts', '#!/usr/bin/env nosuchbun\n', true);

  it.each([
    ['bun', machine(`${installed}/tsx:${installed}/bun`, '24.0.0'), [join(installed, 'bun/bun')]],
    [
      'a Node that strips types',
      machine(`${installed}/tsx`, '22.6.0'),
      ['/node', '--experimental-strip-types', '--no-warnings'],
    ],
    ['tsx', machine(`${installed}/tsx`, '22.5.0'), [join(installed, 'tsx/tsx')]],
  ])('runs with %s, whatever its first line asks for', async (_name, on, prefix) => {
    expect(await plan(script(), on)).toEqual({ ok: true, argv: [...prefix, join(dir, 'guard.ts')] });
  });

  it.each([
    ['packages of the project', 'node_modules/.bin', (at: string) => at],
    ['a folder of the project', 'tools', (at: string) => at],
    ['a folder of the project behind a link', 'tools', linked],
    ['a relative folder', 'tools', () => 'tools'],
  ])('never runs with what is in %s, even if the path names it', async (_name, folder, on) => {
    const local = join(dir, folder);
    mkdirSync(local, { recursive: true });
    for (const name of ['tsx', 'bun', 'sh', 'python3'])
      writeFileSync(join(local, name), 'exit 0', { mode: 0o755 });
    expect(await plan(script(), machine(on(local)))).toMatchObject({ argv: STRIPPED });
    file('guard.py', '#!/usr/bin/env python3\n');
    expect(await plan('guard.py', machine(on(local)))).toMatchObject({ code: 'COMMAND_NO_INTERPRETER' });
    rmSync(local, { recursive: true });
  });

  it('never runs with packages installed in a folder above the project', async () => {
    const inner = join(dir, 'packages', 'app');
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, 'guard.ts'), '');
    const local = join(dir, 'node_modules', '.bin');
    mkdirSync(local, { recursive: true });
    writeFileSync(join(local, 'tsx'), '', { mode: 0o755 });
    expect(await planScript(inner, 'guard.ts', machine(local))).toMatchObject({
      argv: STRIPPED,
    });
    rmSync(join(dir, 'node_modules'), { recursive: true });
  });

  it('runs with nothing but Node: types are taken out as modules are loaded', async () => {
    const made = await plan(script());
    expect(made).toMatchObject({ ok: true });
    const [node, flag, preload, file] = made.ok ? made.argv : [];
    expect([node, flag, file]).toEqual(['/node', '--import', join(dir, 'guard.ts')]);
    expect(preload).toMatch(/^file:.*typescript\/register\.mjs$/);
  });

  it.each([
    ['a relative import', "import { x } from './x';\n"],
    ['an enum', 'enum Level { Low }\n'],
    ['a parameter property', 'class A { constructor(private x: number) {} }\n'],
  ])('a Node that strips types is not asked to run %s', async (_name, text) => {
    file('more.ts', text);
    const made = await plan('more.ts', machine('/usr/bin', '24.0.0'));
    expect(made.ok && made.argv[1]).toBe('--import');
  });

  it('one that asks for Node runs on Node, also where bun is', async () => {
    file('node.ts', '#!/usr/bin/env node\nlet x: number;\n', true);
    const on = machine(`${installed}/bun:${installed}/tsx:/usr/bin`, '20.20.2');
    const made = await plan('node.ts', on);
    expect(made.ok && made.argv.slice(0, 2)).toEqual(['/node', '--import']);
  });

  it.each([
    ['its global', 'const x = await Bun.stdin.text();\n'],
    ['its modules', 'import { Database } from "bun:sqlite";\n'],
  ])(
    'one that uses what only bun has, %s, is refused where bun is not, and runs where it is',
    async (_n, text) => {
      file('bun-only.ts', text);
      expect(await plan('bun-only.ts')).toEqual({
        ok: false,
        code: 'COMMAND_NO_TS_RUNNER',
        message: 'script bun-only.ts uses what only bun has, and bun is not on this machine',
      });
      expect(await plan('bun-only.ts', machine(`${installed}/bun`))).toMatchObject({ ok: true });
    },
  );
});

describe('what cannot run', () => {
  it.each([
    ['missing.sh', 'COMMAND_MISSING', 'script missing.sh does not exist'],
    ['bin', 'COMMAND_MISSING', 'script bin is a folder'],
    ['notes', 'COMMAND_NOT_EXECUTABLE', 'script notes is not executable: chmod +x notes'],
    ['lost', 'COMMAND_NO_INTERPRETER', 'script lost wants /usr/bin/env nosuch, which is not on this machine'],
    ['lost2', 'COMMAND_NO_INTERPRETER', 'script lost2 wants /no/such -x, which is not on this machine'],
  ])('%s: %s', async (name, code, message) => {
    file('notes', 'hi');
    file('lost', '#!/usr/bin/env nosuch\n', true);
    file('lost2', '#!/no/such -x\n', true);
    expect(await plan(name)).toEqual({ ok: false, code, message });
  });
});
