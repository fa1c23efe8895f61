// A scenario with a policy: its files in the project, brought into the agent by `harness install` as a person does it. No line
// of the recipe's own, no flag that lets hooks run untrusted. What is broken afterwards is the engine that was installed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REAL = join(dirname(fileURLToPath(import.meta.url)), '../../dist/cli');

/** Of a user; their tapes are there too. */
export const USER_POLICY = 'home/.config/harness';

/** Of everybody on the machine; the run has an `/etc` of its own. */
const MACHINE_POLICY = '/etc/harness';

/** The launcher that guards run: that of the user's copy. */
export const COPIED = 'home/.local/state/harness/engine/current/dist/cli/hook.cjs';

/** What a launcher does in the place of answering. */
const FAULTS = {
  killed: "process.kill(process.pid, 'SIGKILL');",
  stopped: "process.kill(process.pid, 'SIGSTOP');",
  hanging: 'setInterval(() => {}, 1000);',
};

/** What installing touches, as far as it is not a file of ours alone. */
const FILES = [
  'cwd/.claude/settings.json',
  'cwd/.codex/hooks.json',
  'home/.codex/config.toml',
  'cwd/.gemini/settings.json',
  'cwd/.qwen/settings.json',
  'cwd/.github/hooks/harness.json',
  'home/.copilot/config.json',
  'cwd/.clinerules/hooks/PreToolUse',
  'cwd/opencode.json',
  'cwd/.pi/extensions/harness.ts',
  'cwd/.agents/plugins/harness/hooks/hooks.json',
];

/** Puts the policy there and installs it; `finish` proves the guards, takes them out and looks whether anything is left. */
export function guard(
  { policy, init, fault, only, live, user, managed, records, also = [] },
  agent,
  { cwd, root, env },
) {
  for (const [path, text] of Object.entries(policy)) {
    const inside = path.replace('.harness/', '');
    if (managed) write(join(MACHINE_POLICY, inside), text);
    else write(user ? join(root, USER_POLICY, inside) : join(cwd, path), text);
  }
  const breakable = fault !== undefined || live !== undefined || records === true;
  const command = breakable ? standIn(join(root, 'engine')) : join(REAL, 'harness.cjs');
  const harnessWith = (more, ...args) =>
    spawnSync(process.execPath, [command, ...args], { cwd, env: { ...env, ...more }, encoding: 'utf8' });
  const harness = (...args) => harnessWith({}, ...args);
  if (init) harness('init');
  const before = contents(root);
  const names = [agent.adapter, ...also];
  const options = [
    ...(agent.observeOnly ? ['--observe-only'] : []),
    ...(user ? ['--user'] : []),
    ...(managed ? ['--managed'] : []),
  ];
  const installed = harness('install', ...names, ...options);
  if (records) write(join(root, COPIED), recordingEngine(join(root, 'hooks')));
  if (fault !== undefined) breakIt(fault, { agent, only, cwd, engine: join(root, COPIED) });
  return {
    installed: installed.status,
    words: installed.stderr,
    doctor(more = {}) {
      const { status, stdout } = harnessWith(more, 'doctor', ...names, ...(managed ? ['--managed'] : []));
      return { status, words: stdout };
    },
    finish() {
      const doctor = harness('doctor', ...names);
      const uninstalled = harness('uninstall', ...names);
      return {
        codes: [installed.status, doctor.status, uninstalled.status],
        restored: contents(root).every(
          (text, i) => text === before[i] || (FILES[i] === agent.writesItself && !text?.includes(cwd)),
        ),
        words: [installed, doctor, uninstalled].map(({ stderr }) => stderr).join(''),
        problems: doctor.stdout.split('\n').filter((line) => line.includes('problem')),
      };
    },
  };
}

/** A package that can be broken: two files that load the real ones. `install` copies it. */
function standIn(engine) {
  const cli = join(engine, 'dist/cli');
  write(join(cli, 'harness.cjs'), `require(${JSON.stringify(join(REAL, 'harness.cjs'))});\n`);
  write(join(cli, 'hook.cjs'), loading());
  write(join(engine, 'package.json'), readFileSync(join(REAL, '../../package.json'), 'utf8'));
  return join(cli, 'harness.cjs');
}

/** The real launcher looks for its own files beside the name that it was started by. */
function loading() {
  const real = JSON.stringify(join(REAL, 'hook.cjs'));
  return `process.argv[1] = ${real}; require(${real});\n`;
}

/** Stores what the launcher is handed, and by which project variable, then lets the real one answer. */
function recordingEngine(folder) {
  const real = JSON.stringify(join(REAL, 'hook.cjs'));
  return `const { spawnSync } = require('node:child_process');
const { readFileSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
const input = readFileSync(0);
const variables = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.endsWith('_PROJECT_DIR')));
const name = String(process.hrtime.bigint()).padStart(20, '0') + '-' + process.pid + '.json';
writeFileSync(${JSON.stringify(folder)} + '/' + name, JSON.stringify({ event: args[1], input: input.toString(), variables }));
const { status, stdout, stderr } = spawnSync(process.execPath, [${real}, ...args], { input });
process.stderr.write(stderr);
process.stdout.write(stdout, () => process.exit(status));
`;
}

function breakIt(fault, { agent, only, cwd, engine }) {
  const signal = { 'line-killed': 'KILL', 'line-stopped': 'STOP' }[fault];
  if (signal !== undefined) breakLine(join(cwd, '.harness/guard'), agent.events.pre, signal);
  else if (fault === 'deleted-policy') rmSync(join(cwd, '.harness'), { recursive: true });
  else if (fault === 'empty-launcher') writeFileSync(engine, '');
  else if (fault === 'missing-launcher' && only === undefined) rmSync(engine);
  else write(engine, brokenEngine(fault, agent, only));
}

/** At the event of a call the shell of the registered line, and then the guard itself, get a signal. */
function breakLine(guard, event, signal) {
  const text = readFileSync(guard, 'utf8');
  const first = text.indexOf('\n') + 1;
  const line = `[ "$2" = ${event} ] && kill -${signal} $PPID $$\n`;
  write(guard, text.slice(0, first) + line + text.slice(first));
}

/** Broken at some events only; an engine that is to be missing there takes itself away at the event before. */
function brokenEngine(fault, { events }, only) {
  const lines = ['const event = process.argv[3];'];
  if (fault === 'missing-launcher') {
    const last =
      only[0] === 'pre' ? (events.prompt ?? events.start) : events[only[0] === 'post' ? 'pre' : 'prompt'];
    const gone = "process.on('exit', () => require('node:fs').rmSync(__filename, { force: true }))";
    lines.push(`if (event === ${JSON.stringify(last)}) ${gone};`);
    lines.push(loading());
  } else {
    const faulty = only?.map((name) => events[name]) ?? null;
    const broken = faulty === null ? 'true' : `${JSON.stringify(faulty)}.includes(event)`;
    lines.push(`if (${broken}) { ${FAULTS[fault]} }`);
    lines.push(`else { ${loading()} }`);
  }
  return `${lines.join('\n')}\n`;
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function contents(root) {
  return FILES.map((name) => join(root, name)).map((file) =>
    existsSync(file) ? readFileSync(file, 'latin1') : null,
  );
}

/** What was installed, as files: of this agent, since no other was. */
export function registeredIn(root) {
  const found = [...FILES, 'cwd/.harness-guard/opencode.js']
    .map((name) => join(root, name))
    .filter(existsSync);
  if (found.length === 0) throw new Error('nothing is installed');
  return found;
}

/** Event and action of every decision on the tapes of a folder. */
export function decisionsOn(folder) {
  return recordsOn(folder)
    .filter((record) => record?.type === 'decision')
    .map(({ in: fired, out }) => ({ event: fired.event, action: out.action }));
}

/** What was noted beside an answer. */
export function notesOn(folder) {
  return recordsOn(folder).flatMap((record) => (record?.kind === 'answer' ? record.data.notes : []));
}

function recordsOn(folder) {
  let files;
  try {
    files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  } catch {
    return [];
  }
  return files
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').slice(1))
    .map((line) => JSON.parse(line).record);
}
