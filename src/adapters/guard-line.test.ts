/** The registered line, with real shells and real processes in the launcher's place. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.ts';
import { guardLine, MARK, quoted } from './guard-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'harness-line-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DENY = `{"deny":"it's \\"$HOME\\" \`x\` %s \\\\ done"}`;
const SHELLS = ['dash', 'bash'].filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0);

let count = 0;
function run(shell: string, launcher: string, input = '', deadlineMs = 60_000) {
  const entry = join(folder, `launcher-${count++}.cjs`);
  writeFileSync(entry, launcher);
  const options = { node: process.execPath, entry, agent: 'a', event: 'E', scope: { dir: "it's here" } };
  const line = guardLine({ ...options, deadlineMs, deny: DENY, denyExit: 7 });
  // One that is never answered for is ended, and has no status.
  const ended = { timeout: 100_000, killSignal: 'SIGKILL' } as const;
  const { stdout, status } = spawnSync(shell, ['-c', line], {
    ...ended,
    input,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  return { stdout, status };
}

const DENIED = { stdout: DENY, status: 7 };

describe.each(SHELLS)('the registered line in %s', (shell) => {
  it('gives the launcher its arguments and its stdin, and passes on its answer and its exit code', () => {
    const echo = `let t='';process.stdin.on('data',d=>t+=d).on('end',()=>{process.stdout.write(JSON.stringify([t.length,process.argv.slice(2)])+'${MARK}');process.exitCode=3})`;
    const { stdout, status } = run(shell, echo, 'x'.repeat(2_000_000));
    expect(JSON.parse(stdout)).toEqual([
      2_000_000,
      ['a', 'E', '--dir', "it's here", '--deadline', '45000', '--mark'],
    ]);
    expect(status).toBe(3);
  });

  it('passes on a large answer whole', () => {
    const { stdout } = run(shell, `process.stdout.write('x'.repeat(3e6)+'${MARK}')`);
    expect(stdout.length).toBe(3e6);
  });

  it('is silent where the launcher is', () => {
    expect(run(shell, `process.stdout.write('${MARK}')`)).toEqual({ stdout: '', status: 0 });
  });

  it.each([
    ['is killed after half an answer', `process.stdout.write('{"a');process.kill(process.pid,'SIGKILL')`],
    ['ends well and says nothing', ''],
    ['ends well after half an answer', `process.stdout.write('{"a":1}')`],
    ['throws', 'throw new Error("x")'],
    ['is no program', 'const a = {'],
    ['dies by another signal', `process.kill(process.pid,'SIGSEGV')`],
  ])('answers for a launcher that %s', (_what, launcher) => {
    expect(run(shell, launcher)).toEqual(DENIED);
  });

  it.each([
    ['stops', `process.kill(process.pid,'SIGSTOP')`],
    ['hangs', 'setInterval(()=>{},1000)'],
    ['spins after half an answer', `process.stdout.write('{"a');for(;;);`],
    ['takes no notice of signals', `process.on('SIGTERM',()=>{});setInterval(()=>{},1000)`],
  ])('answers for a launcher that %s', (_what, launcher) => {
    expect(run(shell, launcher, '', 300)).toEqual(DENIED);
  });

  it('answers if there is no launcher, and no Node', () => {
    const options = {
      agent: 'a',
      event: 'E',
      scope: { user: '/u' },
      deadlineMs: 60_000,
      deny: DENY,
      denyExit: 7,
    };
    for (const [node, entry] of [
      [process.execPath, join(folder, 'gone.cjs')],
      [join(folder, 'no-node'), join(folder, 'gone.cjs')],
    ]) {
      const line = guardLine({ ...options, node: node!, entry: entry! });
      const { stdout, status } = spawnSync(shell, ['-c', line], { input: 'x', encoding: 'utf8' });
      expect({ stdout, status }).toEqual(DENIED);
    }
  });

  it('answers for an agent that gives it no stdin', () => {
    const entry = join(folder, 'no-stdin.cjs');
    // As ours does without a payload: shells differ in what they put in the place of a closed stdin.
    writeFileSync(entry, `if (require('fs').readFileSync(0).length > 0) process.stdout.write('fine${MARK}')`);
    const options = {
      node: process.execPath,
      entry,
      agent: 'a',
      event: 'E',
      scope: { dir: '/d', user: '/u' },
    };
    const line = guardLine({ ...options, deadlineMs: 500, deny: DENY, denyExit: 7 });
    const { stdout, status } = spawnSync(shell, ['-c', `exec "$0" -c "$1" <&-`, shell, line], {
      encoding: 'utf8',
    });
    expect({ stdout, status }).toEqual(DENIED);
  });

  it('leaves no process behind, neither after an answer nor after none', async () => {
    // No other sleep on this machine has this length: that of another run of these tests has its own process in it.
    const ms = 1_000_000_001 + process.pid * 1000;
    run(shell, `process.stdout.write('${MARK}')`, '', ms);
    run(shell, 'throw 1', '', ms);
    const sleeps = () =>
      execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.includes(`sleep ${ms / 1000}`));
    // One that was killed is gone when it has had its turn.
    await until(() => sleeps().length === 0);
  });
});

describe('a word for a shell', () => {
  it.each(['plain', "it's", '$(id)', '`id`', 'a b', '', '\n', '"', '\\', '*', '~'])(
    '%j stays one word',
    (word) => {
      const out = execFileSync('sh', ['-c', `printf %s ${quoted(word)}`], { encoding: 'utf8' });
      expect(out).toBe(word);
    },
  );
});
