/**
 * `harness import` and `harness suggest` as somebody uses them who had sessions before they had a policy.
 */
import { hash } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { harness, hookFile, project, write } from './harness.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../transcripts/${name}`, import.meta.url));

const AGENTS = [
  [
    'claude-code',
    'claude-code.jsonl',
    '.claude/projects/-app/11111111-2222-4333-8444-555555555555.jsonl',
    7,
    3,
  ],
  ['codex', 'codex.jsonl', '.codex/sessions/2026/03/02/rollout-2026-03-02.jsonl', 7, 3],
  ['gemini-cli', 'session-gemini.jsonl', '.gemini/tmp/app/chats/session-2026-03-03.jsonl', 4, 1],
] as const;

/** A home folder with the sessions of every agent; the folder they worked in is `app`. */
function machine(): { home: string; cwd: string; env: Record<string, string> } {
  const home = project();
  const cwd = join(home, 'app');
  mkdirSync(cwd);
  for (const [, file, place] of AGENTS) {
    write(home, place, readFileSync(fixture(file), 'utf8').replaceAll('/home/ann/app', cwd));
  }
  write(home, '.gemini/tmp/app/.project_root', cwd);
  return { home, cwd, env: { HOME: home } };
}

const names = (dir: string) => readdirSync(dir).filter((name) => name.endsWith('.jsonl'));

describe('harness import', () => {
  it.each(AGENTS)(
    'makes proven tapes of the sessions of %s in this project',
    async (agent, _file, _place, calls, refused) => {
      const { cwd, env } = machine();
      const { code, stdout } = await harness(['import', agent], { cwd, env });
      expect(stdout).toContain(
        `1 session (1 new, 0 updated, 0 unchanged) with ${calls} calls, ${refused} refused by a person`,
      );
      expect(code).toBe(0);
      expect((await harness(['tape', 'verify', '.harness/imports'], { cwd, env })).code).toBe(0);
      const ls = JSON.parse(
        (await harness(['tape', 'ls', '.harness/imports', '--json'], { cwd, env })).stdout,
      );
      expect(ls.tapes[0]).toMatchObject({ host: `import ${agent}`, blocks: 0, state: 'closed' });
      expect(ls.tapes[0].started).toMatch(/^2026-03-0\dT10:00:0\d/);
      // The beginning of its name is enough.
      const id = ls.tapes[0].session.slice(0, 6);
      expect((await harness(['tape', 'show', id], { cwd, env })).stdout).toContain(`import ${agent}`);
      // Nothing was decided, and it proves so.
      const replayed = await harness(
        ['backtest', '.harness/imports', '--policy', project({ 'harness.md': '' }), '--json'],
        { cwd, env },
      );
      expect(JSON.parse(replayed.stdout)).toMatchObject({ tapes: 1, changed: [], notReplayable: [] });
      expect(readFileSync(join(cwd, '.harness/imports/.gitignore'), 'utf8')).toBe('*\n');
    },
  );

  it('tries a first policy on them', async () => {
    const { cwd, env } = machine();
    await harness(['import', 'claude-code'], { cwd, env });
    const policy = project({
      '.harness/hooks/no_push.md': hookFile(`event: tool.pre
priority: 10
script: |
  def handle(event, payload):
      return block("no push") if "push" in payload["args"].get("command", "") else allow()`),
    });
    const { stdout } = await harness(['backtest', '.harness/imports', '--policy', policy, '--json'], {
      cwd,
      env,
    });
    const { classes, changed } = JSON.parse(stdout);
    expect(classes).toEqual({ 'allow->block': 2 });
    expect(changed[0].payload.args.command).toBe('git push --force origin main');
  });

  it('leaves an unchanged session alone, writes one that went on anew, and nothing else', async () => {
    const { home, cwd, env } = machine();
    await harness(['import', 'codex'], { cwd, env });
    expect((await harness(['import', 'codex'], { cwd, env })).stdout).toContain(
      '(0 new, 0 updated, 1 unchanged)',
    );
    const [, , place] = AGENTS[1];
    const more = {
      timestamp: '2026-03-02T11:00:00.000Z',
      type: 'event_msg',
      payload: { type: 'user_message', message: 'and more' },
    };
    appendFileSync(join(home, place), `${JSON.stringify(more)}\n`);
    expect((await harness(['import', 'codex'], { cwd, env })).stdout).toContain(
      '(0 new, 1 updated, 0 unchanged)',
    );
    expect(names(join(cwd, '.harness/imports'))).toHaveLength(1);
    expect((await harness(['tape', 'find', '.harness/imports', 'and more'], { cwd, env })).stdout).toContain(
      '1 decision on 1 of 1 tape',
    );
  });

  it('takes a path, leaves other projects out otherwise, and replaces no tape that was not imported', async () => {
    const { home, cwd, env } = machine();
    const elsewhere = join(home, 'other');
    mkdirSync(elsewhere);
    const none = await harness(['import', 'claude-code'], { cwd: elsewhere, env });
    expect(none.stdout).toContain('1 session of other projects left out; --all takes them');
    expect((await harness(['import', 'claude-code', '--all'], { cwd: elsewhere, env })).stdout).toContain(
      '1 new',
    );
    expect(
      (await harness(['import', 'codex', fixture('codex.jsonl')], { cwd: elsewhere, env })).stdout,
    ).toContain('1 new');
    const imports = join(cwd, '.harness/imports');
    await harness(['import', 'claude-code'], { cwd, env });
    const [name] = names(imports);
    const live = readFileSync(join(imports, name!), 'utf8').replace(
      'import claude-code',
      'harness hook claude-code',
    );
    write(imports, name!, live);
    const { code, stderr } = await harness(['import', 'claude-code'], { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain('was not imported; it stays');
    expect(readFileSync(join(imports, name!), 'utf8')).toBe(live);
  });

  it('names a file that is no transcript, and agents it knows', async () => {
    const { cwd, env } = machine();
    const bad = project({ 'a.jsonl': '{"x":1}\n' });
    const { code, stderr } = await harness(['import', 'claude-code', bad], { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain('is no transcript of Claude Code: no line names its session');
    const unknown = await harness(['import', 'codx'], { cwd, env });
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain(
      'import knows claude-code, codex, gemini-cli, got "codx" (did you mean codex?)',
    );
    expect((await harness(['import', 'codex', join(bad, 'none')], { cwd, env })).code).toBe(2);
  });

  it('takes secrets out', async () => {
    const { home, cwd, env } = machine();
    const key = `ghp_${hash('sha256', 'a token of a test', 'hex').slice(0, 36)}`;
    const [, , place] = AGENTS[0];
    write(home, place, readFileSync(join(home, place), 'utf8').replace('1 failed', `key ${key}`));
    await harness(['import', 'claude-code'], { cwd, env });
    const [name] = names(join(cwd, '.harness/imports'));
    expect(readFileSync(join(cwd, '.harness/imports', name!), 'utf8')).not.toContain(key);
  });
});

describe('harness suggest', () => {
  it('proposes the widest rule that stops nothing that ran, with its backtest', async () => {
    const { cwd, env } = machine();
    for (const [agent] of AGENTS) await harness(['import', agent], { cwd, env });
    const { code, stdout } = await harness(['suggest', '--json'], { cwd, env });
    expect(code).toBe(0);
    const { tapes, refused, rules } = JSON.parse(stdout);
    expect({ tapes, refused }).toEqual({ tapes: 3, refused: 7 });
    const rule = (about: string) => rules.find((each: { about: string }) => each.about === about);
    // A push without --force was stopped by a hook, so nobody knows whether it may run.
    expect(rule('git push')).toMatchObject({ action: 'block', backtest: { refused: 1, ran: 0, other: 1 } });
    expect(rule('git push').hook).toContain('return block("never force push")');
    expect(rule('docker system')).toMatchObject({ backtest: { refused: 1, ran: 0, other: 0 } });
    expect(rule(`write_file of ${cwd}/.env`)).toMatchObject({ action: 'block' });
  });

  it('narrows a rule until it stops nothing that ran, and asks if that cannot be', async () => {
    const { home, cwd, env } = machine();
    const [, , place] = AGENTS[0];
    const path = join(home, place);
    // The plain push ran; the script that was broken off ran another time.
    const text = readFileSync(path, 'utf8')
      .replace('"toolDenialKind":"permission-rule",', '')
      .replace('PreToolUse:Bash hook error: not on main","is_error":true', 'pushed","is_error":false')
      .replace('cat notes.txt', './deploy.sh');
    write(home, place, text);
    await harness(['import', 'claude-code'], { cwd, env });
    const { rules } = JSON.parse((await harness(['suggest', '--json'], { cwd, env })).stdout);
    expect(
      rules.map(({ about, action, backtest }: Record<string, unknown>) => [about, action, backtest]),
    ).toEqual([
      ['git push --force', 'block', { refused: 1, ran: 0, other: 0 }],
      [`write_file of ${cwd}/.env`, 'block', { refused: 1, ran: 0, other: 0 }],
      ['exactly this command line', 'ask', { refused: 1, ran: 1, other: 0 }],
    ]);
  });

  it('proposes hooks that load and pass their own tests', async () => {
    const { cwd, env } = machine();
    for (const [agent] of AGENTS) await harness(['import', agent], { cwd, env });
    const { rules } = JSON.parse((await harness(['suggest', '--json'], { cwd, env })).stdout);
    const dir = project();
    for (const { name, hook } of rules) write(dir, `.harness/hooks/${name}.md`, hook);
    const { code, stdout, stderr } = await harness(['test', dir], { cwd, env });
    expect(stdout + stderr).toContain('7 passed');
    expect(code).toBe(0);
  });

  it('says so if nobody refused anything, and where it wants tapes', async () => {
    const { cwd, env } = machine();
    const none = await harness(['suggest'], { cwd, env });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('no tapes here: want .harness/imports or .harness/runs');
    const kept = project();
    cpSync(fixture('codex.jsonl'), join(kept, 'codex.jsonl'));
    const text = readFileSync(join(kept, 'codex.jsonl'), 'utf8').split('\n').slice(0, 7).join('\n');
    write(kept, 'codex.jsonl', `${text}\n`);
    await harness(['import', 'codex', join(kept, 'codex.jsonl')], { cwd, env });
    expect((await harness(['suggest'], { cwd, env })).stdout).toContain('No refusals on record');
  });

  it('proposes a rule for an edit that git took back in the same session, and for no other', async () => {
    const tool = (keys: string) =>
      `---\nparameters: {${keys}}\nscript: |\n  def run(args):\n      return {"ok": True}\n---\n\nDoes it.\n`;
    const cwd = project({
      'harness.md': '---\nsystem: x\n---\n',
      '.harness/tools/edit_file.md': tool('path: {type: string}'),
      '.harness/tools/run_command.md': tool('command: {type: string}'),
      'story.yaml': `completions:
  - tool_calls: [{name: edit_file, args: {path: src/schema.sql}}]
  - tool_calls: [{name: edit_file, args: {path: src/app.ts}}]
  - tool_calls: [{name: run_command, args: {command: "git status && git restore ./src/schema.sql"}}]
  - tool_calls: [{name: run_command, args: {command: "git restore --staged src/app.ts; git checkout main"}}]
  - text: Done.
`,
    });
    await harness(['run', '--script', 'story.yaml', '--prompt', 'go'], { cwd });
    const { undone, rules } = JSON.parse((await harness(['suggest', '--json'], { cwd })).stdout);
    expect(undone).toBe(1);
    expect(rules).toMatchObject([
      {
        about: 'edit_file of src/schema.sql',
        backtest: { refused: 1, ran: 0 },
        refused: [{ reason: 'undone' }],
      },
    ]);
    const text = (await harness(['suggest'], { cwd })).stdout;
    expect(text).toContain('0 refused by a person, 1 undone with git');
    expect(text).toContain('undone 1 time. Backtest: stops 1 of 1 such calls, 0 that ran');
  });
});
