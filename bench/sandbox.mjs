// `npm run bench:sandbox`: what it costs to start a program inside the walls. Each program is started by the one function that starts
// programs, outside and inside in turn in one run; the figure is the ratio of the medians of wall clock, and of the lowest, which
// says more on a busy machine. The bar is 2. Needs bubblewrap.   node bench/sandbox.mjs [--rounds N]
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printTable } from './measure.mjs';

const BAR = 2;
const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '40' } } });
const rounds = Number(options.rounds);
if (!existsSync(new URL('../dist/sandbox/contain.js', import.meta.url))) {
  console.error('the build is missing: npm run build');
  process.exit(2);
}
const { machineHost } = await import('../dist/base/host.js');
const { containedHost } = await import('../dist/sandbox/contain.js');
const { DEFAULT_SANDBOX } = await import('../dist/sandbox/sandbox.js');
const { lookForSandbox, sandboxProblem } = await import('../dist/sandbox/offer.js');

const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-sandbox-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const workspace = join(scratch, 'project');
mkdirSync(join(workspace, '.harness'), { recursive: true });
const problem = sandboxProblem(await lookForSandbox(machineHost, workspace), DEFAULT_SANDBOX);
if (problem !== null) {
  console.error(`SKIPPED: no sandbox can be made here: ${problem}`);
  process.exit(0);
}
const inside = (network) =>
  containedHost(machineHost, {
    sandbox: () => ({ ...DEFAULT_SANDBOX, network }),
    workspace,
    guarded: () => ({ folders: [join(workspace, '.harness')], files: [] }),
    domains: () => [],
  });
const HOSTS = { outside: machineHost, 'network off': inside('off'), 'network allowed': inside('allowed') };
const PROGRAMS = {
  '/bin/true': { argv: ['/bin/true'] },
  'sh -c ls': { shell: 'ls' },
  'git --version': { argv: ['git', '--version'] },
  'node -e 0': { argv: [process.execPath, '-e', '0'] },
  'npm --version': { argv: ['npm', '--version'] },
};

const rows = [];
for (const [name, program] of Object.entries(PROGRAMS)) {
  const samples = new Map(Object.keys(HOSTS).map((host) => [host, []]));
  for (let round = -2; round < rounds; round++) {
    for (const [host, { run }] of Object.entries(HOSTS)) {
      const began = process.hrtime.bigint();
      const done = await run({ program, cwd: workspace, env: {}, stdin: '', timeoutMs: 60_000 }, null);
      const ms = Number(process.hrtime.bigint() - began) / 1e6;
      if (done.exitCode !== 0) throw new Error(`${name} ${host}: ${JSON.stringify(done)}`);
      if (round >= 0) samples.get(host).push(ms);
    }
  }
  const at = (host, part) =>
    samples.get(host).sort((a, b) => a - b)[Math.floor(samples.get(host).length * part)];
  const ratio = (host, part) => at(host, part) / at('outside', part);
  rows.push([
    name,
    ...Object.keys(HOSTS).map((host) => `${at(host, 0.5).toFixed(1)} ms`),
    ...[0.5, 0].map((part) => `${ratio('network off', part).toFixed(2)}×`),
    ratio('network off', 0.5) <= BAR ? 'held' : 'missed',
  ]);
}
printTable(
  `Starting a program, ${rounds} times each in turn`,
  ['program', ...Object.keys(HOSTS), 'off / outside', 'of the lowest', `bar ${BAR}×`],
  rows,
);
