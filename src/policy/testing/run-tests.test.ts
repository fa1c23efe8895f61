/**
 * What a test of a policy may say, and that it cannot pass for a wrong reason.
 */
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../../test/support/temp-project.ts';
import { openPolicy } from '../open-policy.ts';
import { coverageOf } from './coverage.ts';
import { type CaseResult, runCase, testsOf } from './run-tests.ts';

const NONE = { managed: null, user: null };
const NO_GOLDEN = { read: () => null };

const GUARD = `def handle(event, payload):
    command = payload["args"].get("command", "")
    if "push" in command:
        return block("open a pull request instead")
    if command.startswith("npm "):
        return modify({"args": {"command": "p" + command}})
    return allow()`;

async function results(files: Record<string, string>, coverage = false) {
  const policy = await openPolicy(tempProject(files), { places: NONE, coverage });
  const { cases, problems } = testsOf(policy);
  const found: CaseResult[] = [];
  for (const test of cases) found.push(await runCase(policy, test, NO_GOLDEN));
  return { policy, problems, found };
}

async function cases(yaml: string, hook = hookFile(GUARD)) {
  const { problems, found } = await results({
    '.harness/hooks/guard.md': hook,
    '.harness/tests/guard.yaml': yaml,
  });
  return { problems, found, statuses: found.map(({ status }) => status) };
}

const mismatches = (found: readonly CaseResult[]) =>
  found.flatMap(({ steps }) => steps.flatMap((step) => step.mismatches));

describe('a case in .harness/tests', () => {
  it('[C057] passes where action, reason, hook and payload are as it says', async () => {
    const { statuses, problems } = await cases(`
cases:
  - name: a push
    payload: {name: run_command, args: {command: git push}}
    expect: {action: block, reason: pull request, reason_matches: "^open .* instead$", hook: guard}
  - name: another tool manager
    payload: {name: run_command, args: {command: npm install}}
    expect: {action: modify, payload: {args: {command: pnpm install}}}
  - name: nothing of the kind
    payload: {name: run_command, args: {command: ls}}
    expect: allow
`);
    expect(problems).toEqual([]);
    expect(statuses).toEqual(['passed', 'passed', 'passed']);
  });

  it('finds nothing of what guards kept for the case before it, or in a session of the same policy', async () => {
    const counting = hookFile(
      'def handle(event, payload):\n    seen = state.incr("seen")\n    return block("%d" % seen) if seen > 1 else allow()',
    );
    const yaml =
      'cases:\n  - {name: one, payload: {name: x, args: {}}, expect: allow}\n  - {name: two, payload: {name: x, args: {}}, expect: allow}\n';
    const files = { '.harness/hooks/count.md': counting, '.harness/tests/count.yaml': yaml };
    const policy = await openPolicy(tempProject(files), { places: NONE });
    await policy.decide('tool.pre', { name: 'x', args: {} });
    for (const test of testsOf(policy).cases)
      expect(await runCase(policy, test, NO_GOLDEN)).toMatchObject({ status: 'passed' });
    expect(await policy.decide('tool.pre', { name: 'x', args: {} })).toMatchObject({ reason: '2' });
  });

  it.each([
    ['another action', 'allow', 'action'],
    ['another reason', '{action: block, reason: no such words}', 'reason'],
    ['a pattern that is not found', '{action: block, reason_matches: "^pull"}', 'reason'],
    ['another hook', '{action: block, hook: other}', 'hook'],
    ['another payload', '{action: block, payload: {name: x}}', 'payload.name'],
    ['a payload that is not the whole', '{action: block, payload_is: {name: run_command}}', 'payload.args'],
    ['an effect that is not there', '{action: block, effects: [{kind: context}]}', 'effects'],
    ['a failure that does not happen', '{action: block, fails: true}', 'failure'],
    ['a golden file that is not there', '{action: block, golden: push.json}', 'golden file push.json'],
  ])('fails for %s', async (_title, expectation, what) => {
    const { found, statuses } = await cases(`
cases:
  - name: a push
    payload: {name: run_command, args: {command: git push}}
    expect: ${expectation}
`);
    expect(statuses).toEqual(['failed']);
    expect(mismatches(found).map((each) => each.what)).toContain(what);
  });

  it('holds a whole payload without the text of its arguments, if only the arguments are written', async () => {
    const text = (is: string) =>
      `cases:\n  - {name: a, payload: {name: x, args: {command: npm i}}, expect: {payload_is: ${is}}}`;
    expect((await cases(text('{name: x, args: {command: pnpm i}}'))).statuses).toEqual(['passed']);
    const { found } = await cases(text('{name: x, args: {command: yarn i}}'));
    expect(mismatches(found)).toEqual([{ what: 'payload.args.command', wanted: 'yarn i', got: 'pnpm i' }]);
    const written = await cases(text('{name: x, args: {command: pnpm i}, arguments: "{}"}'));
    expect(mismatches(written.found).map(({ what }) => what)).toEqual(['payload.arguments']);
  });

  it('fails where a hook fails, although the failure blocks as expected', async () => {
    const broken = hookFile('def handle(event, payload):\n    return block(payload["nosuch"])');
    const { found, statuses } = await cases(
      'cases:\n  - {name: a call, payload: {name: x, args: {}}, expect: block}',
      broken,
    );
    expect(statuses).toEqual(['failed']);
    expect(mismatches(found)).toMatchObject([{ what: 'failure', wanted: null }]);
  });

  it('fails where a rewritten payload would be rewritten again', async () => {
    const growing = hookFile(
      'def handle(event, payload):\n    return modify({"args": {"command": payload["args"]["command"] + " -q"}})',
    );
    const text = (more: string) =>
      `cases:\n  - {name: a call, payload: {name: x, args: {command: ls}}, expect: {action: modify${more}}}`;
    const strict = await cases(text(''), growing);
    expect(mismatches(strict.found)).toMatchObject([
      { what: 'payload.args.command, decided again', wanted: 'ls -q', got: 'ls -q -q' },
    ]);
    expect((await cases(text(', idempotent: false'), growing)).statuses).toEqual(['passed']);
  });

  it('may be a row of steps for a hook that remembers, on a clock that goes on by itself', async () => {
    const counting = hookFile(`def handle(event, payload):
    n = cache.get("n", 0) + 1
    cache.set("n", n)
    if n > 2:
        return block("at " + str(time.now().unix))
    return allow()`);
    const { statuses, found } = await cases(
      `
clock: 2026-03-01T00:00:00Z
cases:
  - name: the third call is one too many
    steps:
      - {payload: {name: x}, expect: allow}
      - {payload: {name: x}}
      - {payload: {name: x}, expect: {action: block, reason: "1772323202"}}
  - name: and every case starts anew
    payload: {name: x}
    expect: allow
`,
      counting,
    );
    expect(mismatches(found)).toEqual([]);
    expect(statuses).toEqual(['passed', 'passed']);
  });

  it('reaches only the addresses it names', async () => {
    const asking = `---
event: tool.pre
priority: 1
script: |
  def handle(event, payload):
      answer = http.get("https://rules.example/ok")
      return allow() if answer["body"] == "yes" else block("no")
---
`;
    const files = (test: string) => ({
      'harness.md': '---\nnetwork: {allowed_domains: [rules.example]}\n---\n',
      '.harness/hooks/asking.md': asking,
      '.harness/tests/a.yaml': test,
    });
    const stub = '{url: "https://rules.example/ok", body: "yes"}';
    const named = await results(
      files(`http: [${stub}]\ncases:\n  - {name: asked, payload: {name: x}, expect: allow}`),
    );
    expect(mismatches(named.found)).toEqual([]);
    const unnamed = await results(
      files('cases:\n  - {name: asked, payload: {name: x}, expect: {action: block, fails: true}}'),
    );
    expect(unnamed.found.map(({ status }) => status)).toEqual(['passed']);
    expect(unnamed.found[0]!.steps[0]!.outcome.reason).toContain('the case has no answer for GET');
  });

  it('that is marked todo may fail, and must be unmarked when it passes', async () => {
    const { statuses } = await cases(`
cases:
  - {name: later, todo: not yet, payload: {name: x, args: {command: ls}}, expect: block}
  - {name: done, todo: not yet, payload: {name: x, args: {command: ls}}, expect: allow}
`);
    expect(statuses).toEqual(['todo', 'fixed']);
  });

  it.each([
    ['expects nothing', 'cases:\n  - {name: a, payload: {name: x}}', 'expects nothing'],
    ['has an unknown event', 'event: tool.prex\ncases:\n  - {name: a, expect: allow}', 'tool.prex'],
    ['has a wrong clock', 'clock: noon\ncases:\n  - {name: a, expect: allow}', 'want a time such as'],
    ['has a wrong pattern', 'cases:\n  - {name: a, expect: {action: block, reason_matches: "("}}', 'RE2'],
    ['has a wrong action', 'cases:\n  - {name: a, expect: deny}', 'expect'],
    [
      'has a payload beside steps',
      'cases:\n  - {name: a, payload: {}, steps: [{expect: allow}]}',
      'belong into',
    ],
    ['is no YAML', 'cases: [', 'yaml'],
  ])('that %s is a problem of its file, not a test that is left out', async (_title, yaml, words) => {
    const { problems, found } = await cases(yaml);
    expect(found).toEqual([]);
    expect(problems.map(({ message }) => message).join('\n')).toContain(words);
    expect(problems[0]!.position?.file).toBe('.harness/tests/guard.yaml');
  });

  it('that names a hook nobody wrote fails with the nearest name', async () => {
    const { found } = await cases('cases:\n  - {name: a, hook: gaurd, payload: {name: x}, expect: allow}');
    expect(found[0]).toMatchObject({ status: 'failed', problem: expect.stringContaining('guard') });
  });
});

describe('a case in the front matter of a hook', () => {
  const tests = `event: tool.pre
priority: 10
when: payload["name"] == "run_command"
tests:
  - {name: a push, payload: {name: run_command, args: {command: git push}}, expect: block}
  - {name: another tool, payload: {name: read_file}, expect: unmatched}`;

  it('asks that hook alone', async () => {
    const { found } = await results({
      '.harness/hooks/guard.md': hookFile(GUARD, tests),
      '.harness/hooks/other.md': hookFile('def handle(event, payload):\n    return block("always")'),
    });
    expect(found.map(({ status, test }) => [test.hook, status])).toEqual([
      ['guard', 'passed'],
      ['guard', 'passed'],
    ]);
  });
});

it('a test says what a policy decides, also while its layer observes', async () => {
  const { policy, found } = await results({
    'harness.md': '---\nobserve: true\nuse: {core: enforce}\n---\n',
    '.harness/hooks/guard.md': hookFile(
      GUARD,
      'event: tool.pre\npriority: 10\ntests:\n  - {name: a push, payload: {name: x, args: {command: git push}}, expect: block}',
    ),
    '.harness/tests/whole.yaml':
      'cases:\n  - {name: a disk, payload: {name: run_command, args: {command: mkfs /dev/sda1}}, expect: block}',
  });
  expect(found.map(({ status, test }) => [test.hook, status])).toEqual([
    ['guard', 'passed'],
    [null, 'passed'],
  ]);
  const push = { id: '1', name: 'x', args: { command: 'git push' } };
  expect(await policy.decide('tool.pre', push)).toMatchObject({ action: 'allow' });
});

describe('coverage', () => {
  it('names the lines, decisions and hooks that no case reached', async () => {
    const { policy, found } = await results(
      {
        '.harness/hooks/guard.md': hookFile(GUARD),
        '.harness/hooks/idle.md': hookFile(
          'def handle(event, payload):\n    return allow()',
          'event: turn.start\npriority: 1',
        ),
        '.harness/tests/guard.yaml':
          'cases:\n  - {name: a push, payload: {name: x, args: {command: git push}}, expect: block}',
      },
      true,
    );
    const { hooks, decisions, reached } = await coverageOf(policy, found);
    const guard = hooks.find(({ hook }) => hook === 'guard')!;
    expect(guard.decisions.map(({ action, count }) => [action, count > 0])).toEqual([
      ['block', true],
      ['modify', false],
      ['allow', false],
    ]);
    expect([...guard.lines].filter(([, count]) => count === 0).map(([line]) => line)).toEqual([9, 10, 11]);
    expect(decisions).toEqual({ hit: 1, all: 4 });
    expect(reached).toEqual({ hit: 1, all: 2 });
  });
});
