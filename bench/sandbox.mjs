// `npm run bench:sandbox`: what it costs to start a program inside the walls. Each program is started by the one function that starts
// programs: outside, in the namespaces of bubblewrap and nothing else, and inside, in turn in one run. The figure is the ratio of the medians of
// wall clock; the bar is 2. Root (counted in a control group) and a user without rights are measured apart. Needs bubblewrap.
//   node bench/sandbox.mjs [--rounds N]      on a busy machine: chrt -r 10 node bench/sandbox.mjs --rounds 15
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printTable } from './measure.mjs';

const BAR = 2;
const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '40' } } });
const rounds = Number(options.rounds);
if (!existsSync(new URL('../dist/machine/walls/contain.js', import.meta.url))) {
  console.error('the build is missing: npm run build');
  process.exit(2);
}
const { machineHost } = await import('../dist/machine/host.js');
const { containedHost } = await import('../dist/machine/walls/contain.js');
const { DEFAULT_SANDBOX } = await import('../dist/machine/walls/sandbox.js');
const { findSandbox, sandboxProblem } = await import('../dist/machine/walls/offer.js');

const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-sandbox-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const workspace = join(scratch, 'project');
mkdirSync(join(workspace, '.harness'), { recursive: true });
const offer = await findSandbox(machineHost, workspace);
const problem = sandboxProblem(offer, DEFAULT_SANDBOX);
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
const ALONE = {
  argv: [
    offer.tools.bwrap,
    ...['user', 'pid', 'ipc', 'uts', 'net'].map((space) => `--unshare-${space}`),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--json-status-fd', '3', '--'],
  ],
  env: {},
};
const alone = {
  run: (request) => machineHost.run({ ...request, sandbox: DEFAULT_SANDBOX, launcher: ALONE }, null),
};
const HOSTS = {
  outside: machineHost,
  'bwrap alone': alone,
  inside: inside('off'),
  proxied: inside('allowed'),
};
const PROGRAMS = {
  '/bin/true': { argv: ['/bin/true'] },
  'sh -c ls': { shell: 'ls' },
  'git --version': { argv: ['git', '--version'] },
  'node -e 0': { argv: [process.execPath, '-e', '0'] },
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
  const median = (host) => samples.get(host).sort((a, b) => a - b)[Math.floor(rounds / 2)];
  const ratio = (host) => median(host) / median('outside');
  rows.push([
    name,
    ...Object.keys(HOSTS).map((host) => `${median(host).toFixed(1)} ms`),
    ...['bwrap alone', 'inside', 'proxied'].map((host) => `${ratio(host).toFixed(1)}×`),
    ratio('inside') <= BAR ? 'held' : 'missed',
  ]);
}
printTable(
  `Starting a program as ${offer.root ? 'root' : 'a user'}, ${rounds} times each in turn; ratios to outside`,
  ['program', ...Object.keys(HOSTS), 'bwrap alone', 'inside', 'proxied', `bar ${BAR}×`],
  rows,
);
if (offer.root) {
  const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath];
  const again = [fileURLToPath(import.meta.url), '--rounds', options.rounds];
  spawnSync('setpriv', [...nobody, ...again], {
    stdio: 'inherit',
    env: { PATH: process.env.PATH, HOME: '/nonexistent' },
  });
}
