// `npm run bench:mcp`: one call through the proxy beside the same call straight to the server, in turns, over stdio and over HTTP.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { median, printTable } from './measure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dir = mkdtempSync(join(tmpdir(), 'harness-bench-mcp-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
mkdirSync(join(dir, '.harness/hooks'), { recursive: true });
writeFileSync(
  join(dir, '.harness/hooks/guard.md'),
  '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block("no") if "forbidden" in str(payload["args"]) else allow()\n---\n',
);
const server = join(root, 'test/support/mcp-both-eras.mjs');
const BAR_MS = 1;
/** Of a server far away, whose answers take so long. */
const REMOTE_MS = 50;
const REMOTE_BAR = 1.1;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 1000);

const cli = join(root, 'dist/cli/harness.cjs');
const proxy = ['mcp', '--name', 'both', '--dir', dir];
const children = [];
process.on('exit', () => {
  for (const child of children) child.kill('SIGTERM');
});

async function connected(transport) {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  return client;
}
const stdio = (args) => {
  const env = { PATH: process.env.PATH };
  return connected(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore', env }));
};
const http = (url) => connected(new StreamableHTTPClientTransport(new URL(url)));

/** Starts it, and gives the address it says. */
function listening(args, env = {}) {
  const child = spawn(process.execPath, args, { stdio: 'pipe', env: { ...process.env, ...env } });
  children.push(child);
  return new Promise((resolve) => {
    let said = '';
    const look = (chunk) => {
      said += chunk;
      const [, port] = /(?:127\.0\.0\.1:|^)(\d{4,5})\/?\n/m.exec(said) ?? [];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}/`);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
  });
}

const httpServer = [join(root, 'test/support/mcp-http.mjs'), 'sessions'];
const behind = await listening(httpServer);
const remote = await listening(httpServer, { DELAY_MS: String(REMOTE_MS) });
const far = `stdio in front of a server of ${REMOTE_MS} ms`;
const ways = {
  stdio: [await stdio([server]), await stdio([cli, ...proxy, '--', process.execPath, server])],
  'HTTP in front of HTTP': [
    await http(behind),
    await http(await listening([cli, ...proxy, '--listen', '0', '--http', behind])),
  ],
  'stdio in front of HTTP': [await http(behind), await stdio([cli, ...proxy, '--http', behind])],
  [far]: [await http(remote), await stdio([cli, ...proxy, '--http', remote])],
};
const p99 = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)];
const ms = (value) => `${value.toFixed(2)} ms`;
const rows = [];
for (const [way, clients] of Object.entries(ways)) {
  const times = [[], []];
  const [warm, rounds] = way === far ? [5, ROUNDS / 10] : [100, ROUNDS];
  for (let round = -warm; round < rounds; round++) {
    for (const [at, client] of clients.entries()) {
      const began = process.hrtime.bigint();
      await client.callTool({ name: 'echo', arguments: { text: `call ${round}` } });
      if (round >= 0) times[at].push(Number(process.hrtime.bigint() - began) / 1e6);
    }
  }
  const [direct, proxied] = times.map(median);
  rows.push([
    way,
    ms(direct),
    ms(proxied),
    ms(p99(times[1])),
    ms(proxied - direct),
    way === 'stdio'
      ? `≤ ${BAR_MS} ms`
      : way === far
        ? `≤ ${REMOTE_BAR}×, ${(proxied / direct).toFixed(2)}×`
        : '',
  ]);
  const missed = way === 'stdio' ? proxied - direct > BAR_MS : way === far && proxied > REMOTE_BAR * direct;
  if (missed) process.exitCode = 1;
  await Promise.all(clients.map((client) => client.close()));
}
printTable(
  `One call, ${ROUNDS} in turns, median`,
  ['way', 'direct', 'through the proxy', 'p99', 'over direct', 'bar'],
  rows,
);
process.exit();
