/** Asks answered from elsewhere, with real processes: the launcher, our own agent, the proxy, a watcher and a person at a terminal. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI_FILE, HOOK_FILE } from '../../scripts/build-cli.mjs';
import { canonicalJson } from '../../src/base/canonical-json.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { type Entry, MOST_OF_SESSION, openQueue } from '../../src/policy/approvals/queue.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { command, hook } from '../adapters/launched.ts';
import { type User, until, user } from '../daemon/daemon.ts';
import { canBePerson, person } from '../support/person.ts';

const GEMINI = JSON.parse(
  readFileSync(new URL('../adapters/payloads/gemini-cli.json', import.meta.url), 'utf8'),
) as Record<string, JsonObject>;

const ASKING = {
  '.harness/hooks/pushes.md': hook(
    'tool.pre',
    'if "push" in payload["args"].get("command", ""):',
    '  return ask("it pushes")',
    'return allow()',
  ),
};

/** An agent that cannot ask anybody. */
function gemini({ dir, env }: User, text: string, deadline = 60_000): Promise<string> {
  const words = [HOOK_FILE, 'gemini-cli', 'BeforeTool', '--dir', dir, '--deadline', String(deadline)];
  const child = spawn(process.execPath, words, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const input = { ...GEMINI.BeforeTool, cwd: dir, tool_input: { command: text } };
  child.stdin.end(JSON.stringify(input));
  return new Promise((resolve) => {
    let said = '';
    child.stdout.on('data', (piece) => {
      said += String(piece);
    });
    child.on('close', () => resolve(said));
  });
}

const at = ({ env, dir }: User) => ({ env, cwd: dir });

function entries(one: User): Entry[] {
  return JSON.parse(one.harness('approvals', 'ls', '--all', '--json').stdout) as Entry[];
}

async function watching(one: User): Promise<ChildProcess> {
  const child = spawn(process.execPath, [CLI_FILE, 'approvals', '--watch'], {
    env: one.env,
    cwd: one.dir,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stderr!.once('data', resolve));
  return child;
}

describe('an ask of an agent that cannot ask anybody', () => {
  it('is denied, stays open, and passes once after a yes; the model sees neither id nor command', async () => {
    const one = user(ASKING);
    const first = await gemini(one, 'git push');
    expect(first).toContain('deny');
    expect(first).toContain('no answer yet');
    const [entry] = entries(one);
    expect(entry).toMatchObject({ state: 'open', question: { host: 'gemini-cli', tool: 'run_command' } });
    expect(entry!.question.asks).toMatchObject([{ hook: 'pushes', layer: 'project' }]);
    expect(first).not.toContain(entry!.question.id);
    expect(first).not.toContain('approvals');
    // It is not told that the same call will be refused again: after a yes it passes.
    const again = await gemini(one, 'git push');
    expect(again).toContain('no answer yet');
    expect(again).not.toContain('refused again');
    const { id } = entry!.question;
    expect(one.harness('approvals', 'show', id).stdout).toContain('git push');
    expect(one.harness('approvals', 'allow', id)).toMatchObject({ status: 2 });
    if (!canBePerson) return console.warn('SKIPPED: script is missing');
    expect(
      await person(['approvals', 'allow', id, '--yes'], { ...at(one), types: () => 'yes' }),
    ).toMatchObject({
      status: 1,
      said: expect.stringContaining('Nothing was answered'),
    });
    expect(await person(['approvals', 'allow', id, '--yes'], at(one))).toMatchObject({ status: 0 });
    expect((await person(['approvals', 'deny', id, '--reason', 'x'], at(one))).said).toContain(
      'answered already',
    );
    expect(await gemini(one, 'git push -f')).toContain('deny');
    expect(await gemini(one, 'git push')).not.toContain('deny');
    expect(await gemini(one, 'git push')).toContain('deny');
    expect(await verifyTape(one.tape('9d21'))).toMatchObject({ ok: true });
  });

  it('is refused in the shell of an agent, at a terminal too', async () => {
    const one = user(ASKING);
    await gemini(one, 'git push');
    const inside = { ...one, env: { ...one.env, GEMINI_CLI: '1' } };
    const listed = spawnSync(process.execPath, [CLI_FILE, 'approvals'], {
      env: inside.env,
      encoding: 'utf8',
    });
    expect(listed).toMatchObject({ status: 2, stdout: '' });
    expect(listed.stderr).toContain('shell of Gemini CLI');
    expect(await gemini(one, 'npx harness approvals allow abc --yes')).toContain('is for a person to say');
  });

  it('says that too many of its session wait, and when the first of them is over', async () => {
    const one = user(ASKING);
    const host = { env: (name: string) => one.env[name], now: Date.now, uuid: randomUUID };
    const about = { host: 'gemini-cli', session: String(GEMINI.BeforeTool!.session_id), folder: one.dir };
    for (let i = 0; i < MOST_OF_SESSION; i++) {
      openQueue(host)!.ask({ ...about, tool: 'run_command', args: { i }, asks: [], reason: 'it pushes' });
    }
    const said = await gemini(one, 'git push');
    expect(said).toContain('deny');
    expect(said).toContain(
      'it pushes (needs approval: 100 questions of this session wait for an answer already',
    );
    expect(entries(one).length).toBe(MOST_OF_SESSION);
  });

  it.each([false, true])('is waited for while somebody watches (daemon: %s)', async (daemon) => {
    const one = user(ASKING);
    if (!canBePerson) return console.warn('SKIPPED: script is missing');
    if (daemon) await one.serve();
    await watching(one);
    const waiting = gemini(one, 'git push');
    await until(() => entries(one).length === 1);
    const { id } = entries(one)[0]!.question;
    expect((await person(['approvals', 'deny', id, '--reason', 'not today'], at(one))).status).toBe(0);
    expect(await waiting).toContain('not today');
    expect(entries(one)[0]).toMatchObject({ state: 'used', answer: { approved: false } });
  });
});

describe('an ask of an agent that asks its own user', () => {
  it('goes there at once, and counts as approved when the call comes back', async () => {
    const one = user(ASKING);
    const call = command('git push', '7');
    expect((await one.fire('PreToolUse', call)).stdout).toContain('"ask"');
    expect(entries(one)).toMatchObject([{ state: 'open', question: { elsewhere: true } }]);
    await one.fire('PostToolUse', { ...call, tool_response: { stdout: '' } });
    expect(entries(one)).toMatchObject([{ state: 'used', answer: { approved: true, by: 'agent' } }]);
    expect((await one.fire('PreToolUse', command('git push', '8'))).stdout).toContain('"ask"');
    const stats = JSON.parse(one.harness('approvals', 'stats', '--json').stdout) as JsonObject[];
    expect(stats).toMatchObject([{ rule: 'project/pushes', asked: 2, allowed: 1, proposed: false }]);
    expect(stats[0]!.backtest).toBe(`harness backtest ${one.dir}/.harness/runs --policy ${one.dir}`);
  });
});

describe('our own hosts', () => {
  const STORY = JSON.stringify({
    completions: [{ tool_calls: [{ name: 'push', args: { command: 'git push' } }] }, { text: 'Done.' }],
  });
  const TOOL = '---\nscript: |\n  def run(args):\n      return "pushed"\n---\n\nPushes.\n';
  const FILES = { ...ASKING, 'story.yaml': STORY, '.harness/tools/push.md': TOOL };
  const RUN = ['run', '--script', 'story.yaml', '--prompt', 'go', '--json'];

  it('harness run without a terminal puts the question into the queue, and a later yes lets a new run pass', async () => {
    const one = user(FILES);
    expect(one.harness(...RUN).stdout).toContain('no answer yet');
    const [entry] = entries(one);
    expect(entry).toMatchObject({ state: 'open', question: { host: 'harness run' } });
    if (!canBePerson) return console.warn('SKIPPED: script is missing');
    expect((await person(['approvals', 'allow', entry!.question.id, '--yes'], at(one))).status).toBe(0);
    expect(one.harness(...RUN).stdout).toContain('pushed');
    expect(entries(one)[0]?.state).toBe('used');
  });

  it("takes a webhook's signed answer while it waits", async () => {
    const one = user(FILES);
    const secret = 'a secret that nobody guesses, long enough';
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (piece) => {
        text += String(piece);
      });
      request.on('end', () => {
        const { id, digest, nonce } = JSON.parse(text) as Record<string, string>;
        const answer = { id, digest, nonce, approved: true, at: Date.now() };
        const signature = createHmac('sha256', secret).update(canonicalJson(answer)).digest('hex');
        response.end(JSON.stringify({ ...answer, signature }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const folder = join(one.home, '.config/harness');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'approvals.key'), secret, { mode: 0o600 });
    const settings = `approvals:\n  webhook: http://127.0.0.1:${port}/\n  key: approvals.key`;
    writeFileSync(join(folder, 'harness.md'), `---\n${settings}\n---\n`);
    const child = spawn(process.execPath, [CLI_FILE, ...RUN], { env: one.env, cwd: one.dir });
    let said = '';
    child.stdout.on('data', (piece) => {
      said += String(piece);
    });
    await new Promise((resolve) => child.on('close', resolve));
    expect(said).toContain('pushed');
    expect(entries(one)).toMatchObject([{ state: 'used', answer: { by: 'webhook' } }]);
    expect(await gemini(one, 'git push')).not.toContain('deny');
  });
});
