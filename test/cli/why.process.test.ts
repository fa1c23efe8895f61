/** Why a call was stopped is told by every command from the whole policy, with the line of the file that decided. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packDigest } from '../../src/packs/index.ts';
import { harness, project } from './harness.ts';

const RULES = `pack: ours
version: 1
description: Ours.
rules:
  - id: harmless
    severity: low
    action: ask
    match: {program: never}
    reason: it never runs
    examples: {stops: [never], passes: [ls]}
  - id: no-deploy
    severity: high
    action: block
    match: {program: deploy}
    reason: deploys are made by the pipeline
    examples: {stops: [deploy], passes: [ls]}
`;

const HOOK = `---
event: tool.pre
priority: 5
when: payload["name"] == "Bash"
script: |
  load("//lib/words.star", "words")

  def handle(event, payload):
      command = payload["args"]["command"]
      if command == "first":
          return block("no first")
      if command == "second":
          return block("no second")
      if command == "third":
          return block(words(command))
      if command == "crash":
          return block(command["x"])
      return allow()
tests: []
---
`;

const LIBRARY = `def words(command):
    return command["x"]
`;

const POLICY = {
  '.harness/harness.md': `---\nstrict: true\nuse:\n  - ./rules.yaml: {mode: enforce, digest: "${packDigest('rules.yaml', RULES)}"}\n  - core: audit\n---\n`,
  '.harness/hooks/words.md': HOOK,
  '.harness/lib/words.star': LIBRARY,
  'rules.yaml': RULES,
};

/** The command, the hook that stops it and the line that says so. */
const STOPS = [
  ['first', 'words', '.harness/hooks/words.md:11'],
  ['second', 'words', '.harness/hooks/words.md:13'],
  ['third', 'words', '.harness/lib/words.star:2'],
  ['crash', 'words', '.harness/hooks/words.md:17'],
  ['deploy now', 'pack:ours', 'rules.yaml:11'],
] as const;

describe('the line that decided', () => {
  it.each(STOPS)('%s: decide and explain name it', async (command, hook, place) => {
    const dir = project(POLICY);
    const payload = JSON.stringify({ name: 'run_command', args: { command }, native: { name: 'Bash' } });
    const decided = await harness(['decide', 'tool.pre', '--dir', dir, '--payload', payload]);
    expect(decided.stdout).toMatch(/^block/);
    expect(decided.stdout).toContain(`${hook}  (${place})`);
    const explained = await harness(['explain', command, '--dir', dir]);
    expect(explained.stdout).toContain(`The policy here: block by ${hook} (${place})`);
    const { decision } = JSON.parse((await harness(['explain', command, '--dir', dir, '--json'])).stdout) as {
      decision: unknown;
    };
    expect(decision).toMatchObject({ action: 'block', hook, place });
  });

  it('report, tape show and explain TAPE name it for a recorded run', async () => {
    const dir = project(POLICY);
    const calls = STOPS.map(([command]) => `{name: run_command, args: {command: ${command}}}`).join(', ');
    const script = `completions:\n  - text: a\n    tool_calls: [${calls}]\n  - text: Done.\n`;
    const files = {
      ...POLICY,
      'story.yaml': script,
      '.harness/hooks/words.md': HOOK.replace('"Bash"', '"run_command"'),
      '.harness/tools/run_command.md':
        '---\ndescription: Runs.\nparameters: {command: {type: string}}\nscript: |\n  def run(args):\n      return "ran"\n---\n',
    };
    const here = project(files);
    const tape = join(here, '.harness/runs/t.jsonl');
    await harness(['run', here, '--prompt', 'go', '--script', join(here, 'story.yaml'), '--tape', tape]);
    const report = await harness(['report', tape, '--dir', here]);
    expect(report.stdout).toContain('words  block 4 calls (enforce)');
    expect(report.stdout).toContain('ours/no-deploy  block 1 call (enforce)  rules.yaml:11');
    const shown = await harness(['tape', 'show', tape, '--json']);
    const stops = shown.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; event?: string; action?: string; hook?: string })
      .filter(({ event, action }) => event === 'tool.pre' && action === 'block');
    expect(stops.map(({ hook }) => hook)).toEqual(STOPS.map(([, hook]) => hook));
    for (const [at, { seq }] of stops.entries()) {
      const [, hook, place] = STOPS[at]!;
      const one = await harness(['tape', 'show', tape, '--seq', String(seq)]);
      expect(one.stdout).toContain(`block by ${hook} (${place})`);
      const why = await harness(['explain', tape, String(seq)]);
      expect(why.stdout).toContain(`Outcome: block by ${hook} (${place})`);
    }
    expect(dir).not.toBe(here);
  });

  it('a tape of a policy that was changed since names the file alone', async () => {
    const here = project({
      ...POLICY,
      'story.yaml':
        'completions:\n  - text: a\n    tool_calls: [{name: run_command, args: {command: first}}]\n  - text: Done.\n',
      '.harness/hooks/words.md': HOOK.replace('"Bash"', '"run_command"'),
      '.harness/tools/run_command.md':
        '---\ndescription: Runs.\nparameters: {command: {type: string}}\nscript: |\n  def run(args):\n      return "ran"\n---\n',
    });
    const tape = join(here, '.harness/runs/t.jsonl');
    await harness(['run', here, '--prompt', 'go', '--script', join(here, 'story.yaml'), '--tape', tape]);
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(here, '.harness/hooks/words.md'), HOOK.replace('no first', 'never first'));
    const found = await harness(['tape', 'find', tape, '--decision', 'block', '--json']);
    const [first] = found.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number });
    const one = await harness(['tape', 'show', tape, '--seq', String(first!.seq)]);
    expect(one.stdout).toContain('block by words (.harness/hooks/words.md): no first');
  });
});
