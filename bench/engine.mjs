// `npm run bench`: one table of ratios, measured interleaved in one run: this engine on the governed stack against the
// same rules in plain JavaScript and in other engines; how cost grows with hooks and payload. `bench:all` has the cold starts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Engine, loadProject, machineHost, RunState } from '../dist/lib/index.js';
import { formatNs, interleave, printTable } from './measure.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const CALLS = [
  {
    id: 'call_1',
    name: 'run_command',
    args: { command: 'npm test -- --run src/app', description: 'Run the unit tests' },
  },
  { id: 'call_2', name: 'write_file', args: { path: 'src/app.ts', content: 'export const answer = 42;\n' } },
  { id: 'call_3', name: 'run_command', args: { command: 'sudo rm -rf / --no-preserve-root' } },
  { id: 'call_4', name: 'read_file', args: { path: 'src/../../etc/passwd' } },
  { id: 'call_5', name: 'search', args: { pattern: 'TODO', path: 'src', limit: 20 } },
  { id: 'call_6', name: 'edit_file', args: { path: '.harness/hooks/command_guard.md', old: 'a', new: 'b' } },
  { id: 'call_7', name: 'exec', args: { argv: ['curl', 'example.com'] } },
].map((call) => JSON.stringify(call));

async function governed() {
  const { hooks, problems } = await loadProject(join(here, 'governed'));
  if (problems.some((problem) => problem.severity === 'error')) throw new Error(JSON.stringify(problems));
  const run = new RunState();
  const engine = new Engine({ hooks, host: machineHost, run });
  return (text) => {
    if (run.logs.length > 1000) run.logs.length = 0;
    return engine.decide('tool.pre', JSON.parse(text));
  };
}

function contender(name, decide, batch) {
  const operations = batch * CALLS.length;
  return {
    name,
    operations,
    run() {
      for (let i = 0; i < batch; i++) for (const text of CALLS) decide(text);
    },
  };
}

const PEERS = [
  ['plain JS', 'plain-js', 1],
  ['cel-js', 'cel', 2.2],
  ['opa-wasm', 'opa', 4.7],
  ['quickjs', 'quickjs', 7.6],
  ['cedar-wasm', 'cedar', 68],
];

async function againstPeers() {
  const harness = await governed();
  const contenders = [contender('harness', harness, 2000)];
  const missing = [];
  for (const [name, file] of PEERS) {
    try {
      const { prepare } = await import(`./peers/${file}.mjs`);
      const decide = await prepare();
      for (const text of CALLS) {
        const [ours, theirs] = [harness(text), decide(text)];
        if (ours.action !== theirs.action || ours.hook !== theirs.hook) {
          throw new Error(`decides otherwise: ${theirs.action} by ${theirs.hook} on ${text}`);
        }
      }
      contenders.push(contender(name, decide, name === 'plain JS' ? 2000 : name === 'cedar-wasm' ? 20 : 200));
    } catch (error) {
      missing.push(`${name}: ${String(error.message).split('\n')[0]}`);
    }
  }
  const reading = (text) => {
    const { trace, payload } = harness(text);
    return trace.length + (payload === null ? 1 : 0);
  };
  const traced = contender('harness, trace and payload read', reading, 2000);
  const times = interleave([...contenders, traced]);
  const plain = times.get('plain JS');
  printTable(
    'One decision: JSON text in, decision out, governed stack of seven',
    ['engine', 'median', 'of plain JS', 'bar'],
    [...times].map(([name, time]) => [
      name,
      formatNs(time),
      `${(time / plain).toFixed(2)}×`,
      name.startsWith('harness') ? '≤ 1.5×' : '',
    ]),
  );
  for (const line of missing) console.log(`not measured: ${line}`);
}

async function manyHooks(count) {
  const dir = mkdtempSync(join(tmpdir(), 'bench-hooks-'));
  mkdirSync(join(dir, '.harness/hooks'), { recursive: true });
  for (let i = 0; i < count; i++) {
    const lines = [
      '---',
      'event: tool.pre',
      `priority: ${i}`,
      `when: payload["name"] == "tool_${i}"`,
      'script: |',
      '  def handle(event, payload):',
      '      return allow()',
      '---',
    ];
    writeFileSync(join(dir, `.harness/hooks/guard_${i}.md`), lines.join('\n'));
  }
  const start = process.hrtime.bigint();
  const { hooks } = await loadProject(dir);
  const load = Number(process.hrtime.bigint() - start);
  rmSync(dir, { recursive: true });
  const engine = new Engine({ hooks, host: machineHost, run: new RunState() });
  const payload = { id: '1', name: `tool_${count - 1}`, args: { command: 'ls' } };
  return {
    name: `${count} hooks`,
    load,
    operations: 20_000,
    run() {
      for (let i = 0; i < 20_000; i++) engine.decide('tool.pre', payload);
    },
  };
}

async function scaling() {
  process.stderr.write('preparing 11,010 hooks …\r');
  const [ten, thousand, many] = [await manyHooks(10), await manyHooks(1000), await manyHooks(10_000)];
  const times = interleave([ten, thousand, many]);
  const few = times.get('10 hooks');
  printTable(
    'Number of hooks, one of which matches by tool name',
    ['hooks', 'median', 'ratio', 'bar'],
    [...times].map(([name, time]) => [name, formatNs(time), `${(time / few).toFixed(2)}×`, '≤ 2×']),
  );
  printTable(
    'Loading them',
    ['hooks', 'time', 'bar'],
    [ten, thousand, many].map(({ name, load }) => [
      name,
      formatNs(load),
      name === '10000 hooks' ? '≤ 500 ms' : '',
    ]),
  );
}

async function payloadSize() {
  const { hooks } = await loadProject(join(here, 'governed'));
  const sized = (bytes) => {
    const run = new RunState();
    const engine = new Engine({ hooks, host: machineHost, run });
    const args = {
      command: 'npm test',
      notes: Array.from({ length: bytes / 50 }, (_, i) => ({ line: i, text: 'x'.repeat(20) })),
    };
    const payload = JSON.parse(JSON.stringify({ id: '1', name: 'run_command', args }));
    return {
      name: `${JSON.stringify(payload).length} B`,
      operations: 20_000,
      run() {
        for (let i = 0; i < 20_000; i++) engine.decide('tool.pre', payload);
        run.logs.length = 0;
      },
    };
  };
  const contenders = [sized(100), sized(150_000)];
  const times = interleave(contenders);
  const small = times.get(contenders[0].name);
  printTable(
    'Payload size, two keys read (parsing aside)',
    ['payload', 'median', 'ratio', 'bar'],
    [...times].map(([name, time]) => [name, formatNs(time), `${(time / small).toFixed(2)}×`, '≤ 1.5×']),
  );
}

if (!existsSync(join(here, 'node_modules'))) {
  console.error('installing the peers into bench/ …');
  spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' });
}
await againstPeers();
await scaling();
await payloadSize();
