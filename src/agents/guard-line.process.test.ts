/** The registered lines: short, the same on every machine, and a block where the guard gives no answer. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ALL_AGENTS } from './all-agents.ts';
import { unprintedExit } from './deny.ts';
import { guardLine, projectEnvironment, quoted, runsGuard, unguardedAnswer } from './guard-line.ts';

const ALL_ADAPTERS = ALL_AGENTS.map(({ adapter }) => adapter);

const SHELLS = ['sh', 'bash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0);
const ROWS = ALL_ADAPTERS.filter(({ channel }) => channel !== 'plugin').flatMap((adapter) =>
  adapter.events.map((row) => ({ adapter, row, agent: adapter.agent, native: row.native })),
);
const folder = mkdtempSync(join(tmpdir(), 'harness-line-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;

/** A repository with guards at these places of it; each prints the place it stands at. */
function repository(...guards: readonly string[]): string {
  const top = join(folder, `a project's ${count++}`);
  mkdirSync(join(top, '.git'), { recursive: true });
  mkdirSync(join(top, '.clinerules/hooks'), { recursive: true });
  mkdirSync(join(top, 'one/two'), { recursive: true });
  for (const at of guards) {
    mkdirSync(join(top, at, '.harness'), { recursive: true });
    writeFileSync(join(top, at, '.harness/guard'), `printf %s "${at} $1 $2"; exit 9\n`);
  }
  return top;
}

function run(shell: string, line: string, agent: string, top: string, cwd = top) {
  const env = { PATH: process.env.PATH ?? '', ...projectEnvironment(agent, top) };
  const self = join(top, '.clinerules/hooks/E');
  const { stdout, stderr, status } = spawnSync(shell, ['-c', line, self], { cwd, env, encoding: 'utf8' });
  return { stdout, stderr, status };
}

describe('a registered line', () => {
  it.each(ROWS)(
    'of $agent at $native has at most 150 characters and no absolute path',
    ({ adapter, row }) => {
      const line = guardLine({ adapter, row, guard: null });
      expect(line.length).toBeLessThanOrEqual(150);
      expect(line).not.toMatch(/(?:^|[\s"'=])\/\w/);
    },
  );

  it.each(ROWS)('of $agent at $native is known again, and as no other agent’s', ({ adapter, row, agent }) => {
    for (const guard of [null, "/home/o'me/.config/harness/guard"]) {
      const line = guardLine({ adapter, row, guard });
      for (const text of [line, JSON.stringify({ command: line })]) {
        const known = ALL_ADAPTERS.filter((other) => runsGuard(text, other.agent)).map(
          (other) => other.agent,
        );
        expect(known).toEqual([agent]);
      }
    }
  });

  it('stands in the documentation as it is registered', () => {
    const page = readFileSync(new URL('../../docs/agents-install.md', import.meta.url), 'utf8');
    const shown = page.split('\n').filter((line) => line.includes('claude-code PreToolUse'));
    const { adapter, row } = ROWS.find(
      (each) => each.agent === 'claude-code' && each.native === 'PreToolUse',
    )!;
    expect(shown).toEqual([guardLine({ adapter, row, guard: null })]);
    expect(runsGuard('harness/guard claude-code PreToolUse;[ $? = 9 ]||', 'claude-code')).toBe(true);
    expect(page).toContain('`harness/guard AGENT EVENT;[ $? = 9 ]||`');
  });

  it('of somebody else that names the guard is not taken for ours', () => {
    expect(runsGuard('cat .harness/guard # claude-code reads it', 'claude-code')).toBe(false);
    expect(runsGuard('lint .harness/guard claude-code PreToolUse', 'claude-code')).toBe(false);
  });
});

/** In one shell every line, in the others those of calls. */
const rowsIn = (shell: string) => ROWS.filter(({ row }) => shell === 'sh' || row.event === 'tool.pre');

describe.each(SHELLS)('a registered line in %s', (shell) => {
  it.each(rowsIn(shell))(
    'of $agent at $native runs the guard of its project',
    ({ adapter, row, agent, native }) => {
      const top = repository('.');
      const line = guardLine({ adapter, row, guard: null });
      expect(run(shell, line, agent, top)).toMatchObject({ stdout: `. ${agent} ${native}`, status: 0 });
    },
  );

  it.each(rowsIn(shell))(
    'of $agent at $native blocks where a block is honoured and there is no guard',
    (each) => {
      const { adapter, row, agent } = each;
      const top = repository();
      const { stdout, stderr, status } = run(shell, guardLine({ adapter, row, guard: null }), agent, top);
      const wanted = unguardedAnswer(adapter, row);
      expect({ stdout: stdout.trimEnd(), status }).toEqual({
        stdout: wanted.stdout,
        status: wanted.exitCode,
      });
      // Codex ignores an exit code of 2 without a word beside it.
      if (status === 2) expect(stderr).not.toBe('');
      const blocks = unprintedExit(row) !== null;
      expect(stdout !== '' || status === 2).toBe(blocks);
    },
  );

  it.each(rowsIn(shell).filter(({ row }) => unprintedExit(row) !== null))(
    'of $agent at $native blocks where the guard is an empty file or a folder, which a shell runs in silence',
    ({ adapter, row, agent }) => {
      const wanted = unguardedAnswer(adapter, row);
      const line = guardLine({ adapter, row, guard: null });
      const empty = repository('.');
      writeFileSync(join(empty, '.harness/guard'), '');
      const folder = repository();
      mkdirSync(join(folder, '.harness/guard'), { recursive: true });
      for (const top of [empty, folder]) {
        const { stdout, status } = run(shell, line, agent, top);
        expect({ stdout: stdout.trimEnd(), status }).toEqual({
          stdout: wanted.stdout,
          status: wanted.exitCode,
        });
      }
    },
  );

  it.each(rowsIn(shell).filter(({ row }) => unprintedExit(row) !== null))(
    'of $agent at $native exits with 2 if there is no guard and nothing can be printed',
    ({ adapter, row, agent }) => {
      const top = repository();
      const line = guardLine({ adapter, row, guard: null });
      for (const to of ['>&-', '>/dev/full'])
        expect(run(shell, `exec ${to}; ${line}`, agent, top).status).toBe(2);
    },
  );

  const walking = ROWS.filter(
    ({ agent, row }) => (agent === 'codex' || agent === 'goose') && row.event === 'tool.pre',
  );
  it.each(walking)('of $agent at $native takes the outermost guard of the repository', (each) => {
    const { adapter, row, agent, native } = each;
    const line = guardLine({ adapter, row, guard: null });
    const said = (top: string, cwd: string) => run(shell, line, agent, top, join(top, cwd)).stdout;
    const top = repository('.', 'one', 'one/two');
    for (const cwd of ['.', 'one', 'one/two']) expect(said(top, cwd)).toBe(`. ${agent} ${native}`);
    expect(said(repository('one', 'one/two'), 'one/two')).toBe(`one ${agent} ${native}`);
    // What stands above the repository is not its own.
    const outer = repository('.');
    mkdirSync(join(outer, 'one/.git'));
    expect(said(outer, 'one/two')).not.toContain(native);
  });

  it('that walks ignores a variable of the environment', () => {
    const { adapter, row } = walking[0]!;
    const [top, other] = [repository(), repository('.')];
    const line = `g=${quoted(join(other, '.harness/guard'))}; export g; ${guardLine({ adapter, row, guard: null })}`;
    expect(run(shell, line, adapter.agent, top)).toMatchObject({ stdout: '', status: 2 });
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
