/**
 * `harness starlark` on real files.
 */
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

async function run(files: Record<string, string>, ...args: string[]) {
  const cwd = project(files);
  return harness(['starlark', ...args], { cwd });
}

describe('harness starlark', () => {
  it('prints to stdout and finds the standard modules', async () => {
    const source =
      'print("a", 1 + 2, json.encode({"k": [1]}), math.ceil(1.5), re.search("b+", "abb").text)\nprint(struct(x = 1).x)';
    expect(await run({ 'a.star': source }, 'a.star')).toEqual({
      code: 0,
      signal: null,
      stdout: 'a 3 {"k":[1]} 2 bb\n1\n',
      stderr: '',
    });
  });

  it('an error prints its traceback to stderr and exits 1; other files still run', async () => {
    const broken = 'def f(x):\n    return x + 1\nprint("before")\nf("a")\n';
    const done = await run({ 'a.star': broken, 'b.star': 'print("b")' }, 'a.star', 'b.star');
    expect(done.code).toBe(1);
    expect(done.stdout).toBe('before\nb\n');
    expect(done.stderr).toContain(
      'Traceback (most recent call last):\n  a.star:4:2: in <toplevel>\n  a.star:2:14: in f\nError: ',
    );
  });

  it('reports all static errors with their places', async () => {
    const done = await run({ 'a.star': 'x = undefinedd\ny = alsoo\n' }, 'a.star');
    expect(done.code).toBe(1);
    expect(done.stderr).toMatch(/^a\.star:1:5: undefined: undefinedd\na\.star:2:5: undefined: alsoo/);
  });

  it.each([
    ['--while', 'def f():\n    while False:\n        pass\nf()\n'],
    ['--recursion', 'def f(n):\n    return 0 if n == 0 else f(n - 1)\nf(3)\n'],
    ['--global-reassign', 'x = 1\nx = 2\n'],
    ['--top-level-control', 'if True:\n    print("yes")\n'],
  ])('%s is off until asked for', async (flag, source) => {
    expect((await run({ 'a.star': source }, 'a.star')).code).toBe(1);
    expect(await run({ 'a.star': source }, flag, 'a.star')).toMatchObject({ code: 0, stderr: '' });
  });

  it('both back ends run, and no other', async () => {
    for (const backend of ['js', 'closures']) {
      expect((await run({ 'a.star': 'print(7 // 2)' }, '--backend', backend, 'a.star')).stdout).toBe('3\n');
    }
    const done = await run({ 'a.star': '' }, '--backend', 'wasm', 'a.star');
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining('js or closures') });
  });

  it('--steps ends a run that goes on too long', async () => {
    const source = 'def f():\n    for i in range(1000000):\n        pass\nf()\n';
    const done = await run({ 'a.star': source }, '--steps', '1000', 'a.star');
    expect(done.code).toBe(1);
    expect(done.stderr).toContain('step limit of 1000 exceeded');
  });

  it('load finds files beside the one that loads them, and cycles', async () => {
    const files = {
      'main.star': 'load("lib/a.star", "a")\nprint(a())',
      'lib/a.star': 'load("b.star", "b")\ndef a():\n    return b + 1',
      'lib/b.star': 'b = 1',
      'one.star': 'load("two.star", "x")',
      'two.star': 'load("one.star", "y")\nx = 1',
    };
    expect((await run(files, 'main.star')).stdout).toBe('2\n');
    expect((await run(files, 'one.star')).stderr).toContain('cycle');
    expect((await run({ 'a.star': 'load("absent.star", "x")' }, 'a.star')).stderr).toContain(
      'cannot load absent.star',
    );
  });

  it('a file that is not there is wrong usage', async () => {
    expect(await run({}, 'absent.star')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('absent.star'),
    });
  });
});
