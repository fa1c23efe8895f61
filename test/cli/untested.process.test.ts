/**
 * A guard that nobody has seen stop anything, and the scaffold, which has none.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

const hook = (script: string, more = '') =>
  `---\nevent: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n${script.replace(/^/gm, '      ')}\n${more}---\n`;
const GUARD = hook('return block("no") if payload["name"] == "x" else allow()');
const TESTED = hook(
  'return block("no") if payload["name"] == "y" else allow()',
  'tests:\n  - name: y\n    payload: {name: y, args: {}}\n    expect: block\n',
);

async function problems(files: Readonly<Record<string, string>>): Promise<string[]> {
  const done = await harness(['validate', project(files), '--json']);
  const found = JSON.parse(done.stdout).problems as { code: string; message: string }[];
  return found.filter(({ code }) => code === 'GUARD_UNTESTED').map(({ message }) => message);
}

describe('validate', () => {
  it('warns about a guard without a test', async () => {
    expect(await problems({ '.harness/hooks/a.md': GUARD, '.harness/hooks/b.md': TESTED })).toEqual([
      'hook "a" can stop tool.pre and no test shows that it does',
    ]);
  });

  it.each([
    ['one that only watches', { '.harness/hooks/a.md': hook('log.info("x")\nreturn allow()') }],
    [
      'one that is only tried',
      { '.harness/hooks/a.md': GUARD.replace('priority', 'mode: shadow\npriority') },
    ],
    [
      'one that a test names',
      {
        '.harness/hooks/a.md': GUARD,
        '.harness/tests/a.yaml':
          'cases:\n  - name: x\n    hook: a\n    payload: {name: x, args: {}}\n    expect: block\n',
      },
    ],
    [
      'one that runs in a test of the whole policy',
      {
        '.harness/hooks/a.md': GUARD,
        '.harness/tests/a.yaml': 'cases:\n  - name: x\n    payload: {name: x, args: {}}\n    expect: block\n',
      },
    ],
    [
      'one that was accepted',
      {
        '.harness/hooks/a.md': GUARD.replace(
          'script',
          '# harness: ignore GUARD_UNTESTED it needs the moon\nscript',
        ),
      },
    ],
  ])('not about %s', async (_what, files) => {
    expect(await problems({ ...files, '.harness/hooks/b.md': TESTED })).toEqual([]);
  });
});

describe('the scaffold of harness init', () => {
  it('is clean, its tests pass, and they cover every line, decision, hook and rule', async () => {
    const cwd = project();
    await harness(['init', 'a'], { cwd });
    expect(await harness(['validate', '--strict', 'a'], { cwd })).toMatchObject({ code: 0 });
    const done = await harness(
      ['test', 'a', '--json', '--coverage', '--lcov', 'lcov.info', '--html', 'page.html'],
      { cwd },
    );
    const { ok, coverage } = JSON.parse(done.stdout);
    expect([done.code, ok]).toEqual([0, true]);
    for (const what of ['lines', 'decisions', 'hooks', 'rules'])
      expect([what, coverage[what].percent]).toEqual([what, 100]);
    expect(coverage.rules.all).toBeGreaterThan(80);
    const lcov = readFileSync(join(cwd, 'lcov.info'), 'utf8');
    expect(lcov).toMatch(/^FNDA:[1-9]\d*,git\/force-push$/m);
    expect(readFileSync(join(cwd, 'page.html'), 'utf8')).toContain('<td>git/force-push</td>');
  });
});

describe('test --tapes', () => {
  const tool = (key: string) =>
    `---\nparameters: {${key}: {type: string}}\nscript: |\n  def run(args):\n      return {"ok": True}\n---\n\nDoes it.\n`;
  const SCRIPT = `completions:
  - tool_calls:
      - {name: run_command, args: {command: git push --force}}
      - {name: other, args: {n: one}}
  - text: Done.
`;

  it('says what recorded traffic never reached: rules, hooks, and calls nothing looked at', async () => {
    const cwd = project({
      'harness.md': '---\nname: x\nuse:\n  - git\n---\n',
      '.harness/hooks/a.md': GUARD.replace('priority', 'when: payload["name"] == "x"\npriority'),
      '.harness/hooks/b.md': TESTED.replace('priority', 'when: payload["name"] == "y"\npriority'),
      'story.yaml': SCRIPT,
      '.harness/tools/run_command.md': tool('command'),
      '.harness/tools/other.md': tool('n'),
    });
    await harness(['run', '--script', 'story.yaml', '--prompt', 'go'], { cwd });
    const done = await harness(['test', '--tapes', '.harness/runs', '--json'], { cwd });
    const { traffic } = JSON.parse(done.stdout);
    expect(traffic).toMatchObject({ tapes: 1, calls: 2, unseen: [{ tool: 'other', calls: 1 }] });
    expect(traffic.hooks).toMatchObject({ hit: 0, all: 2 });
    expect(traffic.byRule.filter(({ fired }: { fired: number }) => fired > 0)).toMatchObject([
      { rule: 'git/force-push', fired: 1 },
    ]);
    const text = (await harness(['test', '--tapes', '.harness/runs'], { cwd })).stdout;
    expect(text).toContain('hooks that never ran: a, b');
    expect(text).toContain('1 call that no guard and no rule looked at: other (1)');
    expect(text).toContain('never: git/discard-changes');
  });
});
