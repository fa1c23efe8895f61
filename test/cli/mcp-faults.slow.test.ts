/**
 * Sides that misbehave, over HTTP and over standard input and output: the other side gets a proper error, nothing is left running,
 * and every call that was let go stands on the tape.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { until } from '../support/until.ts';
import { project } from './harness.ts';
import { accepting, BOTH, connect, front, mcp, policy, raw, STDIO, SUPPORT, start } from './mcp-http.ts';

const badServer = () => start([process.execPath, join(SUPPORT, 'mcp-bad-http.mjs')]);

function verdicts(dir: string): { tool: string; verdict: string; reason: string | null }[] {
  const folder = join(dir, '.harness/runs');
  return (
    (existsSync(folder) ? readdirSync(folder) : [])
      .filter((name) => name.endsWith('.jsonl'))
      // A line is whole with its end.
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1))
      .map((line) => JSON.parse(line))
      .filter((entry) => JSON.stringify(entry).includes('"verdict"'))
      .map((entry) => entry.record ?? entry)
  );
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.each(['stdio', 'http'])('a server behind HTTP that misbehaves, in front of it %s', (kind) => {
  it('costs the call an error, and nothing else', async () => {
    const dir = policy();
    const bad = await badServer();
    const where =
      kind === 'stdio'
        ? { argv: mcp(dir, '--http', bad.url) }
        : { url: (await front(dir, '--http', bad.url)).url };
    const client = await connect('legacy', where);
    const call = async (name: string) => {
      const said = await client
        .callTool({ name })
        .then(JSON.stringify, (error: Error) => `ERROR ${error.message}`);
      return said;
    };
    expect(await call('fine')).toContain('fine');
    expect(await call('twice')).toContain('first');
    expect(await call('floods')).toContain('after the flood');
    expect(await call('breaks')).toContain('broke off its answer');
    expect(await call('other')).toContain('broke off its answer');
    expect(await call('huge')).toContain('more than 10485760 bytes');
    expect(await call('moved')).toContain('not followed');
    for (const name of ['text', 'junk', 'error']) {
      const said = await call(name);
      expect(said).toMatch(/^ERROR/);
      expect(said).not.toContain('secret');
    }
    expect(await call('fine')).toContain('fine');
    const never = new AbortController();
    const waiting = client.callTool({ name: 'never' }, { signal: never.signal }).catch(() => 'given up');
    await until(() => bad.said().includes('never is called'));
    never.abort();
    expect(await waiting).toBe('given up');
    expect(await call('dies')).toMatch(/^ERROR/);
    expect(await call('fine')).toMatch(/^ERROR|is refused/);
    await client.close();
    await until(() => verdicts(dir).length >= 13);
    const counted = verdicts(dir).map(({ verdict }) => verdict);
    expect(counted.filter((verdict) => verdict === 'ran')).toHaveLength(4);
    expect(counted.filter((verdict) => verdict === 'failed').length).toBeGreaterThanOrEqual(8);
  });
});

describe('an HTTP front', () => {
  it('carries a thousand calls at once, of several clients with the same ids', async () => {
    const dir = policy();
    const { url } = await front(dir, '--', ...STDIO);
    const clients = await Promise.all(
      ['legacy', 'auto', 'auto'].map((mode) => connect(mode as 'auto', { url })),
    );
    const texts = Array.from({ length: 334 }, (_, at) => (at % 10 === 0 ? 'forbidden' : `call ${at}`));
    const all = await Promise.all(
      clients.map((client, who) =>
        Promise.all(
          texts.map((text) =>
            client.callTool({ name: 'echo', arguments: { text: text.replace('call', `${who} call`) } }),
          ),
        ),
      ),
    );
    // From the second on a refusal also says that it was said before.
    const own = (text: string) => text.replace(/ \(This was refused .*\)$/, '');
    for (const [who, results] of all.entries())
      expect(results.map(({ content }) => own((content as { text: string }[])[0]!.text))).toEqual(
        texts.map((text) =>
          text === 'forbidden'
            ? 'blocked by policy (guard): not this word'
            : text.replace('call', `${who} call`),
        ),
      );
  });

  it('leaves no process behind: of a session that is over, of one whose server died, and when it is ended', async () => {
    const { url, child } = await front(policy(), '--', ...STDIO);
    const below = () =>
      readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number);
    const hello = () =>
      raw(
        url,
        'POST',
        BOTH,
        '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
      );
    const sessions = [];
    for (let i = 0; i < 3; i++) sessions.push((await hello()).headers['mcp-session-id'] as string);
    const pids = below();
    expect(pids).toHaveLength(3);
    expect((await raw(url, 'DELETE', { 'mcp-session-id': sessions[0] }, '')).status).toBe(204);
    const crash = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"crash"}}';
    expect((await raw(url, 'POST', { ...BOTH, 'mcp-session-id': sessions[1] }, crash)).body).toContain(
      'exit code 7',
    );
    await until(() => below().length === 1);
    expect(below()).toHaveLength(1);
    const slowCall = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}';
    const waiting = raw(url, 'POST', { ...BOTH, 'mcp-session-id': sessions[2] }, slowCall).catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGTERM');
    await waiting;
    await until(() => pids.every((pid) => !isAlive(pid)));
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('a client that goes away in the middle of a call is recorded, and the server hears of it', async () => {
    const dir = policy(accepting('both', 'test/seen'));
    const { url } = await front(dir, '--', process.execPath, join(SUPPORT, 'mcp-by-hand.mjs'));
    const meta =
      '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
    const headers = { ...BOTH, 'mcp-protocol-version': '2026-07-28' };
    const seen = async (what: string) => {
      const body = `{"jsonrpc":"2.0","id":2,"method":"test/seen","params":{${meta}}}`;
      for (let told = ''; !told.includes(what); await new Promise((resolve) => setTimeout(resolve, 50)))
        told = (await raw(url, 'POST', { ...headers, 'mcp-method': 'test/seen' }, body)).body;
    };
    const named = { ...headers, 'mcp-method': 'tools/call', 'mcp-name': 'never' };
    const sent = httpRequest(url, { method: 'POST', headers: named }).on('error', () => {});
    sent.end(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"never",${meta}}}`);
    await seen('tools/call never');
    sent.destroy();
    await seen('notifications/cancelled');
    const never = () => verdicts(dir).find(({ tool }) => tool === 'mcp__both__never');
    await until(() => never() !== undefined);
    expect(never()).toMatchObject({ verdict: 'failed', reason: 'the client went away' });
  });
});

describe('cancelling while a hook decides', () => {
  const SERVER = `process.stdin.on('data', (chunk) => { for (const line of String(chunk).trim().split('\\n')) { const { id, method } = JSON.parse(line);
process.stderr.write('GOT ' + method + '\\n');
if (method === 'tools/list') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [{ name: 't', inputSchema: {} }] } }) + '\\n'); } });
process.stdin.on('end', () => process.exit(0));`;

  /** Until it is told to. */
  const DECIDES = 'echo decides >> "$PWD/state"; until grep -q over "$PWD/state"; do sleep 0.05; done';

  it('keeps the call from the server, and the tape says why', async () => {
    const dir = project({
      'server.mjs': SERVER,
      '.harness/settings.json': JSON.stringify({
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: DECIDES, timeout: 100_000 }] }] },
      }),
    });
    const child = spawn(
      process.execPath,
      [CLI_FILE, 'mcp', '--name', 'raw', '--dir', dir, '--', process.execPath, join(dir, 'server.mjs')],
      { stdio: 'pipe', env: { ...process.env, HARNESS_TRUST: 'all' } },
    );
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}\n');
    await until(() => existsSync(join(dir, 'state')));
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n');
    // What comes after it has passed: it was heard.
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}\n');
    await until(() => said.includes('GOT notifications/roots/list_changed'));
    appendFileSync(join(dir, 'state'), 'over\n');
    await until(() => verdicts(dir).length > 0);
    child.stdin.end();
    await new Promise((resolve) => child.once('close', resolve));
    expect(said).not.toContain('GOT tools/call');
    expect(out).toBe('');
    expect(verdicts(dir)[0]).toMatchObject({ verdict: 'denied', reason: 'it was cancelled before it ran' });
  });
});

describe('a program that misbehaves, over stdio', () => {
  /** Does with a call what its tool is named after. */
  const SERVER = `import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const names = ['fine', 'twice', 'other', 'never', 'floods', 'huge'];
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const text = (said) => ({ content: [{ type: 'text', text: said }] });
const child = spawn('sleep', ['600']);
writeFileSync(process.argv[2], process.pid + ' ' + child.pid);
const does = {
  fine: (id) => say({ id, result: text('fine') }),
  twice: (id) => { say({ id, result: text('first') }); say({ id, result: text('second') }); },
  other: (id) => { say({ id: 'nobody', result: text('stolen') }); setTimeout(() => say({ id, result: text('own') }), 50); },
  never: () => process.stderr.write('never is called\\n'),
  floods: (id) => { for (let i = 0; i < 20000; i++) say({ method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(100) } }); say({ id, result: text('after the flood') }); },
  huge: (id) => { process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"content":[{"type":"text","text":"'); for (let i = 0; i < 100; i++) process.stdout.write('y'.repeat(1 << 20)); process.stdout.write('"}]}}\\n'); },
};
let held = '';
process.stdin.on('data', (chunk) => {
  const lines = (held + chunk).split('\\n');
  held = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (method === 'tools/list') say({ id, result: { tools: names.map((name) => ({ name, inputSchema: {} })) } });
    if (method === 'tools/call') does[params.name](id);
  }
});
`;

  function speaking() {
    const dir = project({
      'server.mjs': SERVER,
      '.harness/hooks/none.md':
        '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n',
    });
    const pids = join(dir, 'pids');
    const argv = [
      'mcp',
      '--name',
      'raw',
      '--dir',
      dir,
      '--',
      process.execPath,
      join(dir, 'server.mjs'),
      pids,
    ];
    const child = spawn(process.execPath, [CLI_FILE, ...argv], { stdio: 'pipe' });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const call = (id: number, name: string) =>
      child.stdin.write(
        `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })}\n`,
      );
    const started = () => readFileSync(pids, 'utf8').split(' ').map(Number);
    const answers = (id: number) =>
      out.split('\n').filter((line) => line.includes(`"id":${id},`) && line.endsWith('}'));
    return { dir, child, call, started, answers, said: () => err };
  }

  it('is dropped where nobody asked, stopped where it is too much, and nothing of it is left', async () => {
    const { dir, child, call, started, answers, said } = speaking();
    for (const [id, name] of ['fine', 'twice', 'other', 'floods'].entries()) call(id + 1, name);
    await until(() => [1, 2, 3, 4].every((id) => answers(id).length > 0) && said().includes('nobody'));
    expect([1, 2, 3, 4].map((id) => answers(id).length)).toEqual([1, 1, 1, 1]);
    expect(answers(2)[0]).toContain('first');
    expect(answers(3)[0]).toContain('own');
    expect(said()).toContain('an answer to "nobody", for which no request waits');
    call(5, 'never');
    call(6, 'huge');
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(1);
    for (const id of [5, 6]) expect(answers(id)[0]).toContain('more than 10485760 bytes');
    await until(() => !started().some(isAlive));
    expect(started().filter(isAlive)).toEqual([]);
    expect(verdicts(dir).map(({ verdict }) => verdict)).toEqual([
      ...['ran', 'ran', 'ran', 'ran'],
      ...['failed', 'failed'],
    ]);
  });

  it('is ended with all it started when the client goes in the middle of a call, which is recorded', async () => {
    const { dir, child, call, started, answers, said } = speaking();
    call(1, 'fine');
    await until(() => answers(1).length > 0);
    call(2, 'never');
    await until(() => said().includes('never is called'));
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    expect(await gone).toBe(0);
    await until(() => !started().some(isAlive));
    expect(started().filter(isAlive)).toEqual([]);
    expect(verdicts(dir)).toMatchObject([
      { verdict: 'ran' },
      { verdict: 'failed', reason: 'the client went away' },
    ]);
  });
});
