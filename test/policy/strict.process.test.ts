/**
 * Strict: on every event that can be blocked, whatever is not a clean answer blocks, whatever front end the hook is written
 * for. Without it the defaults of each front end hold, and every guard that may be off is named.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Outcome } from '../../src/engine/decision.ts';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';

const PAYLOADS: Readonly<Record<string, JsonObject>> = {
  'tool.pre': { id: '1', name: 'echo', args: { text: 'a' } },
  'tool.post': { call_id: '1', name: 'echo', args: {}, content: 'a', is_error: false },
  'delegation.post': { id: '1', agent: 'a', task: 't', result: 'r' },
  'turn.end': { text: 'a', turn: 1 },
};

type Files = Readonly<Record<string, string>>;

/** The event is what the hook is about, by its own name for it. */
type Faulty = (event: string) => Files;

const markdown =
  (script: string, fields = ''): Faulty =>
  (event) => ({
    '.harness/hooks/sample.md': hookFile(
      `def handle(event, payload):\n    ${script}`,
      `event: ${event}\npriority: 10\n${fields}`.trimEnd(),
    ),
  });

const NATIVE: Readonly<Record<string, string>> = { 'tool.pre': 'PreToolUse', 'tool.post': 'PostToolUse' };

const settings =
  (lines: string, more: JsonObject = {}): Faulty =>
  (event) => ({
    '.harness/settings.json': JSON.stringify({
      hooks: { [NATIVE[event]!]: [{ path: 'sample.sh', ...more }] },
    }),
    'sample.sh': `#!/bin/sh\n${lines}\n`,
  });

const manifest =
  (script: string): Faulty =>
  (event) => ({
    'harn.toml': `[[hooks]]\nevent = "${NATIVE[event]!}"\nhandler = "sample::handle"\n`,
    'sample.star': `def handle(event):\n    ${script}\n`,
  });

const open = async (files: Files, strict: boolean): Promise<Policy> => {
  const dir = tempProject({ ...files, 'harness.md': `---\nstrict: ${strict}\n---\n` });
  if ('sample.sh' in files) chmodSync(join(dir, 'sample.sh'), 0o755);
  return openPolicy(dir, { places: { managed: null, user: null }, host: machineHost });
};

async function decided(faulty: Faulty, event: string, strict: boolean): Promise<Outcome> {
  const policy = await open(faulty(event), strict);
  expect(policy.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return policy.decide(event, PAYLOADS[event]!);
}

/** Front end, fault, event, the hook; then what it comes to without strict and with it. */
type Row = readonly [string, string, string, Faulty, 'allow' | 'block', 'allow' | 'block'];

const RAISING = 'when: payload["nothing"]["there"] == 1';
const FAULTS: readonly (readonly [string, Faulty])[] = [
  ['condition raises', markdown('return block("no")', RAISING)],
  ['answer is no decision', markdown('return 5')],
  ['answer is nothing', markdown('return None')],
  ['action is unknown', markdown('return {"action": "blok"}')],
];

const TABLE: readonly Row[] = [
  ...FAULTS.flatMap(([fault, faulty]): Row[] => [
    ['markdown', fault, 'tool.pre', faulty, 'allow', 'block'],
    ['markdown', fault, 'tool.post', faulty, 'allow', 'block'],
    ['markdown', fault, 'delegation.post', faulty, 'allow', 'block'],
    ['markdown', fault, 'turn.end', faulty, 'allow', 'allow'],
  ]),
  ['markdown', 'handler raises', 'tool.pre', markdown('fail("x")'), 'block', 'block'],
  ['markdown', 'handler raises', 'tool.post', markdown('fail("x")'), 'allow', 'block'],
  ['markdown', 'handler raises', 'delegation.post', markdown('fail("x")'), 'allow', 'block'],
  ['markdown', 'handler raises', 'turn.end', markdown('fail("x")'), 'allow', 'allow'],
  ['markdown', 'too many steps', 'tool.pre', markdown('[i for i in range(1000000000)]'), 'block', 'block'],
  ['markdown', 'too many steps', 'tool.post', markdown('[i for i in range(1000000000)]'), 'allow', 'block'],
  ...['tool.pre', 'tool.post'].flatMap((event): Row[] => [
    ['settings', 'exits with 1', event, settings('exit 1'), 'allow', 'block'],
    ['settings', 'is killed', event, settings('kill -9 $$'), 'allow', 'block'],
    ['settings', 'prints broken JSON', event, settings('echo \'{"decision": \''), 'allow', 'block'],
    [
      'settings',
      'prints an unknown decision',
      event,
      settings('echo \'{"decision": "blok"}\''),
      'allow',
      'block',
    ],
    ['settings', 'takes too long', event, settings('sleep 5', { timeout: 60 }), 'allow', 'block'],
    ['settings', 'cannot be run', event, settings('exec /nowhere/to/be/found'), 'allow', 'block'],
    ['settings', 'floods', event, settings('head -c 30000000 /dev/zero | tr "\\\\0" x'), 'allow', 'block'],
    ['manifest', 'handler raises', event, manifest('fail("x")'), 'block', 'block'],
  ]),
  ['manifest', 'answer is no decision', 'tool.pre', manifest('return 5'), 'block', 'block'],
  ['manifest', 'action is unknown', 'tool.pre', manifest('return {"blok": "no"}'), 'block', 'block'],
];

describe('a hook that gives no clean answer', () => {
  it.each(TABLE)('%s: %s, on %s', async (_frontEnd, _fault, event, faulty, loose, strict) => {
    const without = await decided(faulty, event, false);
    const under = await decided(faulty, event, true);
    expect([without.action, under.action]).toEqual([loose, strict]);
    // Whatever it comes to, the trace says that something was wrong.
    for (const { trace } of [without, under]) {
      const entry = trace.find(({ layer }) => layer === 'project')!;
      expect(entry.failure !== null || entry.warnings.length > 0).toBe(true);
    }
    if (strict === 'block') expect(under.reason).not.toBe(null);
  });

  it.each(['warn', 'shadow'])('never blocks in mode %s', async (mode) => {
    for (const fault of [...FAULTS.map(([, faulty]) => faulty), markdown('fail("x")')]) {
      const files = Object.fromEntries(
        Object.entries(fault('tool.pre')).map(([path, text]) => [
          path,
          text.replace('---\n', `---\nmode: ${mode}\n`),
        ]),
      );
      expect(
        (await (await open(files, true)).decide('tool.pre' as string, PAYLOADS['tool.pre']!)).action,
      ).toBe('allow');
    }
  });
});

describe('on_error: allow, written by the author', () => {
  const LOOSE = hookFile(
    'def handle(event, payload):\n    fail("x")',
    'event: tool.pre\npriority: 1\non_error: allow',
  );
  const STRICT = '---\nstrict: true\n---\n';
  const codes = ({ problems }: Policy) =>
    problems.map(({ code }) => code).filter((code) => code.startsWith('GUARD_'));

  const layered = async (user: Files, project: Files): Promise<Policy> => {
    const dir = tempProject({
      ...Object.fromEntries(Object.entries(user).map(([path, text]) => [`user/${path}`, text])),
      ...Object.fromEntries(Object.entries(project).map(([path, text]) => [`work/${path}`, text])),
    });
    return openPolicy(join(dir, 'work'), {
      places: { managed: null, user: join(dir, 'user') },
      host: machineHost,
    });
  };

  it('holds in a layer that is strict itself, and is named', async () => {
    const policy = await open({ '.harness/hooks/loose.md': LOOSE }, true);
    expect((await policy.decide('tool.pre' as string, PAYLOADS['tool.pre']!)).action).toBe('allow');
    expect(codes(policy)).toEqual(['GUARD_MAY_BE_OFF']);
  });

  it('is refused below a layer that is strict', async () => {
    const policy = await layered({ 'harness.md': STRICT }, { '.harness/hooks/loose.md': LOOSE });
    expect((await policy.decide('tool.pre' as string, PAYLOADS['tool.pre']!)).action).toBe('block');
    expect(codes(policy)).toEqual(['GUARD_LOOSENED']);
  });

  it('holds above a layer that is strict', async () => {
    const policy = await layered({ 'hooks/loose.md': LOOSE }, { 'harness.md': STRICT });
    expect(policy.settings.strict).toBe(true);
    expect((await policy.decide('tool.pre' as string, PAYLOADS['tool.pre']!)).action).toBe('allow');
    expect(codes(policy)).toEqual(['GUARD_MAY_BE_OFF']);
  });

  it('of on_when_error: skip, the same', async () => {
    const skips = hookFile(
      'def handle(event, payload):\n    return block("no")',
      `event: tool.pre\npriority: 1\non_when_error: skip\n${RAISING}`,
    );
    const own = await open({ '.harness/hooks/loose.md': skips }, true);
    expect((await own.decide('tool.pre' as string, PAYLOADS['tool.pre']!)).action).toBe('allow');
    expect(codes(own)).toEqual(['GUARD_MAY_BE_OFF']);
    const below = await layered({ 'harness.md': STRICT }, { '.harness/hooks/loose.md': skips });
    expect((await below.decide('tool.pre' as string, PAYLOADS['tool.pre']!)).action).toBe('block');
    expect(codes(below)).toEqual(['GUARD_LOOSENED']);
  });
});

describe('without strict, validate names each guard that may be off', () => {
  const offs = async (files: Files, strict: boolean) =>
    (await open(files, strict)).problems.filter(({ code }) => code === 'GUARD_MAY_BE_OFF').length;

  it.each([
    ['a condition that can raise', markdown('return block("no")', RAISING)('tool.pre'), 1],
    ['a command that fails open', settings('exit 0')('tool.pre'), 1],
    ['a hook that blocks on its own failure', markdown('return block("no")')('tool.pre'), 0],
    ['a hook that only warns', markdown('return block("no")', `mode: warn\n${RAISING}`)('tool.pre'), 0],
    ['a hook on an event that nothing blocks', markdown('return allow()', RAISING)('turn.end'), 0],
  ])('%s', async (_title, files, count) => {
    expect(await offs(files, false)).toBe(count);
    expect(await offs(files, true)).toBe(0);
  });
});

describe('a hook without a script', () => {
  const placeholder = {
    '.harness/hooks/sample.md': '---\nname: sample\nevent: tool.pre\npriority: 10\n---\n# Later\n',
  };

  it.each([
    [false, 'warning'],
    [true, 'error'],
  ] as const)('allows everything, and with strict: %s validate calls it %s', async (strict, severity) => {
    const policy = await open(placeholder, strict);
    expect(policy.problems.filter(({ code }) => code === 'HOOK_WITHOUT_SCRIPT')).toMatchObject([
      { severity, layer: 'project', position: { file: '.harness/hooks/sample.md' } },
    ]);
    expect((await policy.decide('tool.pre' as string, PAYLOADS['tool.pre']!)).action).toBe('allow');
  });
});
