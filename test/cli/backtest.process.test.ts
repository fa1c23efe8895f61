/**
 * `harness backtest` as a reviewer and as CI use it.
 */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness, hookFile, project } from './harness.ts';

const guard = (word: string) =>
  hookFile(`event: tool.pre
priority: 10
script: |
  def handle(event, payload):
      command = payload["args"].get("command", "")
      return block("no ${word} | <b>") if "${word}" in command else allow()`);

const SCRIPT = `completions:
  - tool_calls:
      - {name: run_command, args: {command: echo one}}
      - {name: run_command, args: {command: echo two}}
  - text: Done.
`;

/** A project with runs on tape. */
async function recorded(runs = 1): Promise<string> {
  const dir = project({
    'harness.md': '---\nname: tester\n---\n',
    '.harness/hooks/guard.md': guard('one'),
    '.harness/tools/run_command.md': readFileSync(
      new URL('../../src/cli/init/templates/tools/run_command.md', import.meta.url),
    ),
    'script.yaml': SCRIPT,
  });
  const done = await harness(['run', dir, '--script', join(dir, 'script.yaml'), '--prompt', 'go']);
  expect(done.stderr).not.toContain('error');
  const [tape] = (await harness(['tape', 'ls', join(dir, '.harness/runs'), '--json'])).stdout.match(
    /[0-9a-f-]{36}/,
  )!;
  const runsFolder = join(dir, '.harness/runs');
  for (let i = 1; i < runs; i++)
    cpSync(join(runsFolder, `${tape}.jsonl`), join(runsFolder, `copy-${i}.jsonl`));
  return dir;
}

const candidate = (word: string) => project({ '.harness/hooks/guard.md': guard(word) });

describe('harness backtest', () => {
  it('says that nothing changes for the same policy', async () => {
    const dir = await recorded();
    const { code, stdout } = await harness(['backtest', dir, '--policy', dir, '--fail-on', 'any']);
    expect(stdout).toMatch(/decisions of 1 session: \d+ the same, 0 changed, 0 not replayable/);
    expect(code).toBe(0);
  });

  it('shows what changes by class and hook, and fails on the classes it is told', async () => {
    const dir = await recorded();
    const other = candidate('two');
    const line = ['backtest', dir, '--policy', other];
    const { code, stdout } = await harness(line);
    expect(code).toBe(0);
    expect(stdout).toMatch(/block->allow {2}guard {2}1 call\n {2}run_command echo one/);
    expect(stdout).toMatch(/allow->block {2}guard {2}1 call\n {2}run_command echo two .* \*/);
    expect((await harness([...line, '--fail-on', 'block->allow'])).code).toBe(1);
    expect((await harness([...line, '--fail-on', 'allow->ask'])).code).toBe(0);
    // A class that cannot come about would never fail.
    for (const wrong of ['blocked', 'blok->allow', 'block->', ',']) {
      const refused = await harness([...line, '--fail-on', wrong]);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
    }
    expect((await harness([...line, '--fail-on', 'blok->allow'])).stderr).toContain('block->allow?');
  });

  it('fails a gate that compared nothing, whatever class it is about', async () => {
    const dir = await recorded();
    const line = ['backtest', dir, '--policy', dir, '--since', '2999-01-01'];
    const looked = await harness(line);
    expect(looked).toMatchObject({ code: 0, stdout: expect.stringContaining('0 decisions of 1 session') });
    expect(looked.stderr).toContain('no decision could be compared with the policy');
    for (const gate of ['any', 'block->allow'])
      expect((await harness([...line, '--fail-on', gate])).code).toBe(1);
  });

  it('prints the documented JSON', async () => {
    const dir = await recorded();
    const { stdout } = await harness(['backtest', dir, '--policy', candidate('two'), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      tapes: 1,
      classes: { 'allow->block': 1, 'block->allow': 1 },
      changed: [
        { class: 'block->allow', counterfactual: false },
        { class: 'allow->block', counterfactual: true },
      ],
      notReplayable: [],
      broken: [],
      unproven: [],
    });
  });

  it('prints Markdown in which nothing of a payload is markup', async () => {
    const dir = await recorded();
    const { stdout } = await harness(['backtest', dir, '--policy', candidate('two'), '--markdown']);
    expect(stdout).toContain('### Policy backtest');
    expect(stdout).toContain('| `block->allow` | 1 |');
    expect(stdout).toContain('` no two \\| <b> `');
  });

  it('uses several threads, and a broken tape among good ones costs only itself', async () => {
    const dir = await recorded(12);
    writeFileSync(join(dir, '.harness/runs/broken.jsonl'), 'no tape\n');
    const line = ['backtest', join(dir, '.harness/runs'), '--policy', dir, '--json'];
    const results = await Promise.all(['1', '3'].map((jobs) => harness([...line, '--jobs', jobs])));
    const [one, three] = results.map(({ stdout }) => JSON.parse(stdout));
    expect(three).toEqual(one);
    expect(one).toMatchObject({
      tapes: 13,
      classes: {},
      broken: [{ problem: expect.stringContaining('no header') }],
    });
    expect((await harness([...line, '--fail-on', 'any'])).code).toBe(1);
  });

  it('goes on from what is done, and reads again a tape that has changed', async () => {
    const dir = await recorded(3);
    const file = join(dir, 'done.jsonl');
    const line = ['backtest', join(dir, '.harness/runs'), '--policy', dir, '--json', '--resume', file];
    const first = await harness(line);
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.length).toBe(4);
    // As an interrupt leaves it: two are done, the third is cut off.
    writeFileSync(file, `${lines.slice(0, 2).join('\n')}\n${lines[2]!.slice(0, 50)}`);
    expect((await harness(line)).stdout).toBe(first.stdout);
  });

  it('names a tape that does not prove its own decisions', async () => {
    const dir = await recorded();
    const tape = join(
      dir,
      '.harness/runs',
      `${(await harness(['tape', 'ls', dir, '--json'])).stdout.match(/[0-9a-f-]{36}/)![0]}.jsonl`,
    );
    expect(existsSync(tape)).toBe(true);
    writeFileSync(tape, readFileSync(tape, 'utf8').replaceAll('echo one', 'echo six'));
    const { stderr, code } = await harness(['backtest', dir, '--policy', dir, '--fail-on', 'any']);
    expect(stderr).toContain('does not prove its own decisions');
    expect(code).toBe(1);
  });

  it('says of a candidate that does not load, or is none, that its answer means less', async () => {
    const dir = await recorded();
    const broken = project({
      '.harness/hooks/guard.md': '---\nevent: tool.pre\npriority: 1\nscript: 3\n---\n',
    });
    const said = async (policy: string) => (await harness(['backtest', dir, '--policy', policy])).stderr;
    expect(await said(broken)).toContain('has errors; what cannot be loaded blocks');
    expect(await said(project({ 'a.txt': '' }))).toContain('No policy in');
    expect(await said(dir)).toBe('');
  });
});
