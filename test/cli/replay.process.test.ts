/**
 * `harness replay` as a person uses it: the real command on a tape of a real session.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { harness, hookFile, project } from './harness.ts';

const SCRIPT = `completions:
  - tool_calls: [{name: run_command, args: {command: rm -rf build}}]
  - tool_calls: [{name: run_command, args: {command: ls}}]
  - text: Done.
`;

const GUARD = (word: string) =>
  hookFile(`event: tool.pre
priority: 1
script: |
  def handle(event, payload):
      metrics.incr("calls")
      if "${word}" in payload["args"].get("command", ""):
          return block("not here")
      return allow()`);

/** It runs nothing: what matters is that it is asked for. */
const TOOL = `---
parameters: {command: {type: string, required: true, description: The command line.}}
script: |
  def run(args):
      return "ran " + args["command"]
---

Runs a command.
`;

let dir: string;
let tape: string;

beforeEach(async () => {
  dir = project({
    's.yaml': SCRIPT,
    '.harness/hooks/guard.md': GUARD('rm'),
    '.harness/tools/run_command.md': TOOL,
  });
  tape = join(dir, 'run.jsonl');
  await harness(['run', dir, '--prompt', 'tidy up', '--script', join(dir, 's.yaml'), '--tape', tape]);
});

describe('a session whose tape cannot be written any more', () => {
  it('ends there with the reason and exit code 1, and what was recorded replays', async () => {
    const script = `completions:\n${'  - tool_calls: [{name: run_command, args: {command: ls}}]\n'.repeat(40)}`;
    writeFileSync(join(dir, 'long.yaml'), script);
    const short = join(dir, 'short.jsonl');
    const args = ['run', dir, '--prompt', 'x', '--script', join(dir, 'long.yaml'), '--tape', short];
    // So many blocks of 512 bytes a file may have: as good as a full disk.
    const limited = ['-c', 'ulimit -f 24; exec "$@"', 'sh', process.execPath, CLI_FILE, ...args];
    const { status, stderr } = spawnSync('sh', limited, { encoding: 'utf8', timeout: 120_000 });
    expect(status).toBe(1);
    expect(stderr).toContain('error[TAPE_WRITE_FAILED]');
    expect(stderr).not.toContain('SESSION_CLOSED');
    const { code, stdout } = await harness(['replay', short, '--dir', dir, '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { differences: [] }]);
    expect(JSON.parse(stdout).decisions).toBeGreaterThan(2);
  });
});

describe('harness replay', () => {
  it('with the recorded policy finds no difference', async () => {
    const { code, stdout } = await harness(['replay', tape, '--dir', dir]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+ decisions of session \S+ replayed with the hooks: no difference\n$/);
  });

  it('of a session without a policy folder finds the same policy', async () => {
    const bare = project({ 's.yaml': 'completions:\n  - text: Done.\n' });
    const taped = join(bare, 'run.jsonl');
    const script = join(bare, 's.yaml');
    await harness(['run', bare, '--allow-empty', '--prompt', 'x', '--script', script, '--tape', taped]);
    const { code, stdout } = await harness(['replay', taped, '--dir', bare, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ differences: [], policy: { same: true, changes: [] } });
  });

  it('--json has the decisions and an empty list of differences', async () => {
    const { code, stdout } = await harness(['replay', tape, '--dir', dir, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      decisions: expect.any(Number),
      differences: [],
      notReplayable: [],
      unfinished: 0,
      policy: { same: true, changes: [] },
      chain: { ok: true, firstBroken: null },
    });
  });

  it('with another policy says which file has changed, shows the first difference and exits 1', async () => {
    writeFileSync(join(dir, '.harness/hooks/guard.md'), GUARD('ls'));
    const { code, stdout } = await harness(['replay', tape, '--dir', dir]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^The policy is not the recorded one\n {2}the layer project has changed\n {2}\.harness\/hooks\/guard\.md has changed\n/,
    );
    expect(stdout).toContain('2 differences');
    expect(stdout).toContain('hook "guard" says allow; recorded: hook "guard" says block');
    expect(stdout).toMatch(/\n {2}result\n {4}recorded {2}"block"\n {4}now {7}"allow"\n/);
    const { stdout: story } = await harness(['tape', 'show', tape, '--seq', /--seq (\d+)/.exec(stdout)![1]!]);
    expect(story).toContain('guard');
  });

  it('runs no hook where the recorded returns are to drive it', async () => {
    rmSync(join(dir, '.harness'), { recursive: true });
    const { code, stdout } = await harness(['replay', tape, '--recorded']);
    expect(code).toBe(0);
    expect(stdout).toContain('from what the hooks returned: no difference');
  });

  it('finds the project of a tape that lies in its runs', async () => {
    const { stdout } = await harness(['run', dir, '--script', join(dir, 's.yaml'), '--prompt', 'x']);
    const inside = /^tape\s+(\S+)$/m.exec(stdout)![1]!;
    const { code, stdout: told } = await harness(['replay', inside]);
    expect([code, told]).toEqual([0, expect.stringContaining('no difference')]);
  });

  it('says that a tape proves nothing whose chain is broken, and replays it all the same', async () => {
    writeFileSync(tape, readFileSync(tape, 'utf8').replace('tidy up', 'tidy it'));
    const { code, stderr } = await harness(['replay', tape, '--dir', dir]);
    expect(code).toBe(0);
    expect(stderr).toContain('the tape proves nothing');
  });

  it.each<[string, readonly string[], number, string]>([
    ['an end before the first entry', ['--at', '0'], 1, 'the first entry is 1'],
    ['an end that is no number', ['--at', 'x'], 2, '--at: expected a whole number'],
    ['a folder that is not there', ['--dir', 'nowhere'], 2, 'no such folder'],
    ['both ways at once', ['--recorded', '--dir', '.'], 2, '--recorded runs no hooks'],
  ])('refuses %s', async (_name, args, exit, message) => {
    const { code, stderr } = await harness(['replay', tape, ...args]);
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
  });

  it('refuses a file that is no tape', async () => {
    const { code, stderr } = await harness(['replay', join(dir, 's.yaml')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not a tape')]);
  });
});
