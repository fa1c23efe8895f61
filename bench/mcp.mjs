// `npm run bench:mcp`: one call through the proxy beside the same call straight to the server, in turns, over stdio.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
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
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 1000);

async function connect(args) {
  const client = new Client({ name: 'bench', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    stderr: 'ignore',
    env: { PATH: process.env.PATH },
  });
  await client.connect(transport);
  return client;
}
const direct = await connect([server]);
const proxied = await connect([
  join(root, 'dist/cli/harness.cjs'),
  ...['mcp', '--name', 'both', '--dir', dir, '--', process.execPath, server],
]);
const times = { direct: [], proxied: [] };
for (let round = -100; round < ROUNDS; round++) {
  for (const [name, client] of [
    ['direct', direct],
    ['proxied', proxied],
  ]) {
    const began = process.hrtime.bigint();
    await client.callTool({ name: 'echo', arguments: { text: `call ${round}` } });
    if (round >= 0) times[name].push(Number(process.hrtime.bigint() - began) / 1e6);
  }
}
await Promise.all([direct.close(), proxied.close()]);
const p99 = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)];
const over = median(times.proxied) - median(times.direct);
printTable(
  `One call over stdio, ${ROUNDS} in turns`,
  ['what', 'median', 'p99', 'over direct', 'bar'],
  Object.entries(times).map(([name, values]) => [
    name,
    `${median(values).toFixed(2)} ms`,
    `${p99(values).toFixed(2)} ms`,
    name === 'proxied' ? `${over.toFixed(2)} ms` : '',
    name === 'proxied' ? `≤ ${BAR_MS} ms` : '',
  ]),
);
process.exitCode = over <= BAR_MS ? 0 : 1;
