/**
 * `harness install mcp`: every server a client's file names stands behind the proxy, and is put back to the byte.
 */
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { harness, hookFile, project } from './harness.ts';
import { connect } from './mcp-http.ts';

const HOOK = hookFile(
  'event: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block("not this word") if "forbidden" in str(payload["args"]) else allow()',
);

const SERVERS = (key: string) => `{
\t// those of the project
\t"${key}": {
\t\t"files": { "command": "npx", "args": ["-y", "files", "."], "env": {"A": "1"} },
\t\t"bare":  { "command": "uvx" },
\t\t"remote": {
\t\t\t"type": "http", "url": "https://127.0.0.1:9/mcp",
\t\t\t"headers": { "Authorization": "Bearer \${TOKEN}", "X-Team": "a" },
\t\t},
\t},
\t"other": [1, 2.0]
}
`;

const TOML = `model = "x" # mine

[mcp_servers.files]
command = "npx"
args = [
  "-y", # yes
  "files",
]
startup_timeout_sec = 10

[mcp_servers."with space"]
  command = 'uvx'

[mcp_servers.remote]
url = "https://127.0.0.1:9/mcp"

[tools]
web = true
`;

const CLIENTS = [
  ['claude-code', '.mcp.json', SERVERS('mcpServers')],
  ['cursor', '.cursor/mcp.json', SERVERS('mcpServers')],
  ['vscode', '.vscode/mcp.json', SERVERS('servers').replaceAll('\n', '\r\n')],
  ['gemini-cli', '.gemini/settings.json', SERVERS('mcpServers').replace('"url"', '"httpUrl"')],
  ['codex', '.codex/config.toml', TOML],
] as const;

function place(file: string, text: string) {
  const dir = project({ '.harness/hooks/guard.md': HOOK });
  const home = project();
  const path = join(dir, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const run = (...args: string[]) => harness([...args, '--dir', dir], { env: { HOME: home } });
  return { dir, home, path, run, now: () => readFileSync(path, 'utf8') };
}

/** The command of the user's copy, which is what a wrapped server runs. */
const COPIED = '.local/state/harness/engine/current/dist/cli/harness.cjs';

describe.each(CLIENTS)('%s', (client, file, text) => {
  it('wraps every server once, shows it before, and is undone to the byte', async () => {
    const { dir, path, run, now } = place(file, text);
    const printed = await run('install', 'mcp', client, '--print');
    expect(printed.code).toBe(0);
    expect(printed.stdout).toContain('+');
    expect(now()).toBe(text);
    expect(await run('install', 'mcp', client)).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('error'),
    });
    const wrapped = now();
    for (const part of ['"--name"', '"files"', '"mcp"', COPIED, dir, '"--http"', 'https://127.0.0.1:9/mcp'])
      expect(wrapped).toContain(part);
    expect(wrapped).not.toMatch(/"command": ?"(?:npx|uvx)"|command = .(?:npx|uvx)/);
    expect(wrapped).toContain(client === 'codex' ? 'startup_timeout_sec = 10' : '"other": [1, 2.0]');
    if (client !== 'codex') {
      expect(wrapped).toContain('Authorization=HARNESS_MCP_HEADER_1,X-Team=HARNESS_MCP_HEADER_2');
      expect(wrapped).toContain(`"HARNESS_MCP_HEADER_1": "Bearer \${TOKEN}"`);
    }
    expect((await run('install', 'mcp', client)).stdout).toContain('installed already');
    expect(now()).toBe(wrapped);
    expect((await run('uninstall', 'mcp', client)).code).toBe(0);
    expect(now()).toBe(text);
    expect(path).toContain(file);
  });

  it('takes out only what is ours where the file was edited since, also without its record', async () => {
    const { home, run, now, path } = place(file, text);
    await run('install', 'mcp', client);
    const edited = client === 'codex' ? `${now()}\n[more]\nx = 1\n` : now().replace('"other"', '"another"');
    writeFileSync(path, edited);
    await run('uninstall', 'mcp', client);
    expect(now()).not.toContain(COPIED);
    expect(now()).toMatch(/npx/);
    expect(now()).toMatch(/another|\[more\]/);
    writeFileSync(path, text);
    await run('install', 'mcp', client);
    rmSync(join(home, '.local'), { recursive: true, force: true });
    await run('uninstall', 'mcp', client);
    expect(now()).not.toContain(COPIED);
    expect(now()).toContain('https://127.0.0.1:9/mcp');
  });
});

describe('install mcp', () => {
  it('the wrapped server starts, and is guarded', async () => {
    const { run, now } = place(
      '.mcp.json',
      JSON.stringify({
        mcpServers: {
          both: {
            command: process.execPath,
            args: [join(import.meta.dirname, '../support/mcp-both-eras.mjs')],
          },
        },
      }),
    );
    await run('install', 'mcp', 'claude-code');
    const { command, args } = JSON.parse(now()).mcpServers.both as { command: string; args: string[] };
    expect(realpathSync(command)).toBe(realpathSync(process.execPath));
    const client = await connect('legacy', { argv: [command, ...args] });
    const said = await client.callTool({ name: 'echo', arguments: { text: 'forbidden' } });
    expect(said).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('not this word') }],
    });
  });

  it('leaves none unguarded in silence: one with a command and an address, and those of single projects', async () => {
    const { run, path } = place(
      '.mcp.json',
      '{"mcpServers": {"both": {"type": "http", "url": "https://evil.example", "command": "true"}, "good": {"command": "x"}}, "projects": {"/p": {"mcpServers": {"local": {"command": "y"}}}}}',
    );
    const left = await run('install', 'mcp', 'claude-code');
    expect(left.code).toBe(1);
    expect(left.stdout + left.stderr).toContain('"both" stays unguarded: it names a command and an address');
    expect(left.stdout + left.stderr).toContain('"local" stays unguarded: it stands under projects');
    expect(JSON.parse(readFileSync(path, 'utf8')).mcpServers.both.command).toBe('true');
  });

  it('leaves a server that wants a login as it is, and says how it can be guarded; one that wants none is put behind the proxy', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      request.resume();
      if (request.url === '/login') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('no');
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = (path: string) => `http://127.0.0.1:${port}/${path}`;
    const servers = {
      tickets: { type: 'http', url: url('login') },
      open: { type: 'http', url: url('open') },
      known: { type: 'http', url: url('known'), headers: { Authorization: 'Bearer x' } },
    };
    const { run, path } = place('.mcp.json', JSON.stringify({ mcpServers: servers }));
    const done = await run('install', 'mcp', 'claude-code');
    expect(done.code).toBe(1);
    expect(done.stdout + done.stderr).toMatch(
      /"tickets" stays unguarded: it wants a login \(HTTP 401\).*--header-env Authorization=VARIABLE/,
    );
    const left = JSON.parse(readFileSync(path, 'utf8')).mcpServers;
    expect(left.tickets).toEqual(servers.tickets);
    expect([left.open.args, left.known.args].every((args) => args.includes('--http'))).toBe(true);
    // A server that is shown a token is not asked without it.
    expect(asked.sort()).toEqual(['/login', '/open']);
  });

  it('names the servers it leaves unguarded, and clients it does not know', async () => {
    const { run } = place(
      '.mcp.json',
      '{"mcpServers": {"odd": {"x": 1}, "own": {"command": "npx", "args": ["harness-hooks", "mcp", "--", "x"]}}}',
    );
    const left = await run('install', 'mcp', 'claude-code');
    expect(left.code).toBe(1);
    expect(left.stderr).toContain('"odd" stays unguarded: it names neither a command nor an address');
    expect(left.stderr).toContain('"own" stays unguarded: it is behind a proxy that somebody put there');
    expect(await run('install', 'mcp', 'claud-code')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('claude-code'),
    });
    expect((await run('install', 'mcp', 'claude-desktop')).stderr).toContain('--user');
    expect((await run('install', 'mcp', 'cursor')).stderr).toContain('names no server');
  });
});

describe('the servers of a client', () => {
  it('are shown by status and doctor: behind the proxy, added past it, or with a proxy that is gone', async () => {
    const { dir, home, run, now, path } = place('.cursor/mcp.json', SERVERS('mcpServers'));
    const show = (...args: string[]) => harness(args, { env: { HOME: home }, cwd: dir });
    expect((await show('status', '.')).stdout).not.toContain('MCP servers');
    expect((await run('install', 'mcp', 'cursor')).code).toBe(0);
    expect((await show('status', '.')).stdout).toMatch(/files +cursor +project +behind the proxy/);
    expect(await run('doctor')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('files  behind the proxy in cursor'),
    });
    writeFileSync(path, now().replace('"mcpServers": {', '"mcpServers": {"late": {"command": "late"},'));
    expect((await show('status', '.')).stdout).toContain(
      'MCP server late of cursor: it is not behind the proxy',
    );
    expect((await run('doctor')).code).toBe(1);
    writeFileSync(path, now().replaceAll(COPIED, 'gone/harness.cjs'));
    expect((await run('doctor')).stdout).toContain('MCP server files of cursor: its proxy cannot be started');
  });
});
