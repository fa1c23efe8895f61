// Draws the way of `harness decide` and of a launcher call through the rooms of src, from a traced run: every function notes when it is
// entered from another room. Writes docs/way-of-decide.svg, docs/way-of-a-launcher-call.svg and the tables of their arrows in
// docs/architecture.md. `npm run docs:ways`.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'acorn';
import { build, transform } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const PAGE = join(root, 'docs/architecture.md');
const CALL = { name: 'run_command', args: { command: 'npm test' } };

const WAYS = [
  {
    title: 'The way of `harness decide`',
    picture: 'way-of-decide.svg',
    from: 'cli',
    entry: `import { runCommand } from './src/cli/run-command.ts'; void runCommand(['decide', 'tool.pre']);`,
    input: () => CALL,
  },
  {
    title: 'The way of a launcher call, without a daemon',
    picture: 'way-of-a-launcher-call.svg',
    from: 'launcher',
    entry: `import { parseHookOptions } from './src/launcher/hook-options.ts';
      import { runHook } from './src/launcher/run-hook.ts';
      runHook(parseHookOptions(['claude-code', 'PreToolUse', '--dir', process.cwd()]));`,
    input: (cwd) => ({
      ...{ session_id: 's1', transcript_path: '/dev/null', cwd, hook_event_name: 'PreToolUse' },
      ...{ tool_name: 'Bash', tool_input: CALL.args },
    }),
  },
];

/** Why a room enters another. Upward arrows are calls of a function that was handed down. An arrow without a reason stops the script. */
const REASONS = {
  'agents engine': 'counts what the answer says, and asks whether the call may run',
  'agents files': 'reads the settings of the agent',
  'agents launcher': 'fires the event of a native call in the session of the launcher',
  'agents policy': 'settles an ask by the one `permit`',
  'agents session': 'asks whether the policy wants programs contained',
  'base engine': 'writes the text of arguments when it is first read',
  'base policy': 'makes an entry of a bounded map',
  'base shell': 'weighs an entry of a bounded map',
  'cli engine': 'checks the payload, reads the trace',
  'cli policy': 'decides, and settles an ask',
  'cli terminal': 'reads arguments, opens the policy, prints',
  'engine flow': 'learns what a result or a prompt names, and asks where a value comes from',
  'engine frontends': 'shows a hook the payload in its form, and interprets what it returned',
  'engine packs': 'asks the rules of a pack',
  'engine policy': 'asks floor, protected paths, permission tables, exit policy',
  'engine script': 'runs the condition and the handler of a hook',
  'engine shell': 'reads the command of a call, once for all hooks',
  'engine tape': 'records the decision and every hook considered',
  'frontends engine': 'resolves names of events, and what they honour',
  'frontends files': 'reads artifacts as trees with positions',
  'frontends script': 'compiles scripts and conditions',
  'frontends starlark': 'shows a payload as a dict',
  'launcher agents': "reads the agent's payload, answers in its dialect",
  'launcher engine': 'decides, and carries out what the outcome says',
  'launcher files': 'copies the policy as it was read',
  'launcher policy': 'opens the policy, finds the state of the session',
  'launcher session': 'opens the session with its tape',
  'launcher tape': 'finds what the tape already has, ends the batch',
  'packs engine': 'asks where a call happens and which of its arguments are commands',
  'packs flow': 'asks where an argument comes from',
  'packs shell': 'asks what the commands of a call read, write, delete and run',
  'packs tape': 'records where an argument comes from',
  'policy engine': 'puts the hooks of every layer into chains',
  'policy files': 'takes the digests of the bytes that were read',
  'policy flow': 'makes the ledger of the session',
  'policy frontends': 'reads one folder by all front ends',
  'policy launcher': 'makes the run state of the session',
  'policy packs': 'resolves which packs are used and how',
  'policy shell': 'asks what a command writes and deletes',
  'policy tape': 'gives the session to the recorder',
  'script engine': 'folds names of tools and events, reads the call',
  'script shell': 'gives scripts the reading of a command',
  'script starlark': 'compiles and runs',
  'script tape': 'reads state, metrics and clocks through the recorder',
  'secrets tape': 'hands redacted values back',
  'session launcher': 'opens the tape as the launcher wants it',
  'session policy': 'asks for hooks, digest and settings',
  'session tape': 'opens the tape',
  'starlark script': 'calls built-ins',
  'tape engine': 'asks for the layer of a hook',
  'tape flow': 'makes the ledger anew from the entries',
  'tape policy': 'looks at the identity of the policy',
  'tape secrets': 'takes secrets out of what is recorded',
  'terminal engine': 'describes an outcome',
  'terminal policy': 'opens the policy of the folder',
  '→ base': 'plain data: JSON, shapes, text, digests, bounded maps',
  '→ machine': 'clock, ids, environment, files, locks, through one interface',
};

/** What the functions of a traced program call: the room a function is called from is that of the caller, also behind an `await`. */
const TRACER = `{
const { AsyncLocalStorage } = require('node:async_hooks');
const rooms = new AsyncLocalStorage(), calls = [];
let loading = 0;
globalThis.__load = (step) => void (loading += step);
globalThis.__room = (room, name, body) => {
  const from = rooms.getStore() ?? process.env.TRACED_FROM;
  if (from === room || loading > 0) return body();
  calls.push([from, room, name]);
  return rooms.run(room, body);
};
process.on('exit', () => require('node:fs').writeFileSync(process.env.TRACED_INTO, JSON.stringify(calls)));
}`;

const scratch = mkdtempSync(join(tmpdir(), 'harness-rooms-'));
try {
  const sections = [];
  for (const way of WAYS) {
    const calls = await traced(way);
    const arrows = arrowsOf(calls);
    writeFileSync(join(root, 'docs', way.picture), picture(way, arrows));
    sections.push(section(way, calls, arrows));
  }
  const [head, , tail] = readFileSync(PAGE, 'utf8').split(/<!-- (?:ways|end of ways) -->\n/);
  writeFileSync(
    PAGE,
    `${head}<!-- ways -->\n${sizes()}\n${sections.join('\n')}<!-- end of ways -->\n${tail}`,
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Builds the program with every function tracing, runs it on the policy that `init` writes, and gives the entries into rooms in order. */
async function traced({ entry, from, input }) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const program = join(scratch, 'program.cjs');
  await build({
    stdin: { contents: entry, resolveDir: root, loader: 'ts' },
    outfile: program,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    loader: { '.md': 'text', '.yaml': 'text' },
    define: { HARNESS_VERSION: JSON.stringify(version), HARNESS_BUILD: '"traced"', HARNESS_DEMO: '"{}"' },
    external: ['@anthropic-ai/sdk', '@modelcontextprotocol/client', 'openai'],
    logOverride: { 'empty-import-meta': 'silent' },
    banner: { js: TRACER },
    plugins: [
      { name: 'rooms', setup: ({ onLoad }) => onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, tracedFile) },
    ],
  });
  const folder = mkdtempSync(join(scratch, 'project-'));
  const into = join(scratch, 'calls.json');
  const env = { PATH: process.env.PATH, HOME: scratch, HARNESS_DAEMON: 'off' };
  const init = [join(root, 'dist/cli/harness.cjs'), 'init', folder];
  execFileSync(process.execPath, init, { env, stdio: 'ignore' });
  const { status, stderr } = spawnSync(process.execPath, [program], {
    cwd: folder,
    input: JSON.stringify(input(folder)),
    env: { ...env, TRACED_FROM: from, TRACED_INTO: into },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the traced program ended with ${status}: ${stderr}`);
  return JSON.parse(readFileSync(into, 'utf8'));
}

async function tracedFile({ path }) {
  const room = relative(join(root, 'src'), path).split(sep)[0];
  const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'ts', target: 'node20' });
  // The tables that a module makes when it is loaded are no part of the way.
  return { contents: `__load(1);${withTracing(code, room)}\n__load(-1);`, loader: 'js' };
}

/** The code with the body of each function handed to the tracer. Generators and constructors stay: they are never the first entry. */
function withTracing(code, room) {
  const inserts = [];
  const insert = (at, text) => inserts.push({ at, text });
  const visit = (node, name) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) for (const each of node) visit(each, name);
    if (typeof node.type !== 'string') return;
    const own = nameIn(node) ?? name;
    if (/Function/.test(node.type) && !node.generator && own !== 'constructor') {
      const lead = `__room(${JSON.stringify(room)},${JSON.stringify(own ?? 'callback')},${node.async ? 'async' : ''}()=>`;
      const block = node.body.type === 'BlockStatement';
      insert(node.body.start, block ? `{return ${lead}` : `${lead}(`);
      insert(node.body.end, block ? ')}' : '))');
    }
    for (const [key, child] of Object.entries(node)) if (key !== 'type') visit(child, own);
  };
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), null);
  // Later inserts at one place belong to inner functions where they open, and to outer ones where they close.
  return inserts
    .map((each, order) => ({
      ...each,
      order: each.text.endsWith(')') || each.text.endsWith('}') ? -order : order,
    }))
    .sort((a, b) => b.at - a.at || b.order - a.order)
    .reduce((text, each) => text.slice(0, each.at) + each.text + text.slice(each.at), code);
}

function nameIn(node) {
  if (node.type === 'FunctionDeclaration') return node.id?.name ?? null;
  if (node.type === 'MethodDefinition' || node.type === 'Property') return node.key.name ?? null;
  if (node.type === 'VariableDeclarator') return node.id.name ?? null;
  return null;
}

/** One for each pair of rooms, in the order of the first entry, with its functions in that order too. */
function arrowsOf(calls) {
  const arrows = new Map();
  for (const [from, to, name] of calls) {
    const key = `${from} ${to}`;
    const arrow = arrows.get(key) ?? { from, to, count: 0, names: new Set() };
    arrow.count++;
    arrow.names.add(name);
    arrows.set(key, arrow);
  }
  return [...arrows.values()].map(({ names, ...arrow }) => ({ ...arrow, names: [...names] }));
}

function reasonOf(from, to) {
  const reason = REASONS[`${from} ${to}`] ?? REASONS[`→ ${to}`];
  if (reason === undefined) throw new Error(`want a reason for ${from} → ${to} in REASONS`);
  return reason;
}

function section({ title, picture: file }, calls, arrows) {
  const rows = arrows.map(({ from, to, count, names }) => {
    const shown = names.slice(0, 4).map((name) => `\`${name}\``);
    const rest = names.length > 4 ? `, ${names.length - 4} more` : '';
    return `| ${from} → ${to} | ${count} | ${reasonOf(from, to)} | ${shown.join(', ')}${rest} |`;
  });
  return `### ${title}

![${title.replaceAll('`', '')}](${file})

${calls.length} entries into another room, \`base\` and \`engine\` included, over ${arrows.length} arrows.

| arrow | entries | why | functions |
|---|---|---|---|
${rows.join('\n')}
`;
}

/** Rooms as columns in the order of their ranks, arrows as rows in the order of the run. */
function picture({ title, from }, arrows) {
  const ranks = ranksOf();
  const used = new Set([from, ...arrows.flatMap((arrow) => [arrow.from, arrow.to])]);
  const lanes = ranks.filter((room) => used.has(room)).reverse();
  const [step, top, row] = [92, 64, 22];
  const x = (room) => 60 + lanes.indexOf(room) * step;
  const width = 60 + lanes.length * step;
  const height = top + arrows.length * row + 24;
  const columns = lanes.map(
    (room) =>
      `<text class="room" x="${x(room)}" y="40">${room}</text><line class="lane" x1="${x(room)}" x2="${x(room)}" y1="48" y2="${height - 12}"/>`,
  );
  const lines = arrows.map(({ from: a, to: b, count, names }, i) => {
    const y = top + i * row + 12;
    const head = x(b) > x(a) ? -1 : 1;
    const middle = (x(a) + x(b)) / 2;
    return `<line class="call" x1="${x(a)}" x2="${x(b)}" y1="${y}" y2="${y}"/><path class="head" d="M${x(b)} ${y}l${head * 7} -4v8z"/><text class="what" x="${middle}" y="${y - 4}">${names[0]}${count > 1 ? ` ×${count}` : ''}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title.replaceAll('`', '')}">
<style>
svg { background: #fff; font-family: ui-sans-serif, system-ui, sans-serif; }
.room { font-size: 13px; font-weight: 600; text-anchor: middle; fill: #111827; }
.lane { stroke: #d1d5db; stroke-dasharray: 2 3; }
.call { stroke: #2563eb; stroke-width: 1.2; }
.head { fill: #2563eb; }
.what { font-size: 10px; text-anchor: middle; fill: #374151; paint-order: stroke; stroke: #fff; stroke-width: 3px; }
</style>
${[...columns, ...lines].join('\n')}
</svg>
`;
}

/** Each room with its lines, tests left out. */
function sizes() {
  const lines = (room) =>
    readdirSync(join(root, 'src', room), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .reduce(
        (sum, path) => sum + readFileSync(join(root, 'src', room, path), 'utf8').split('\n').length - 1,
        0,
      );
  const rooms = ranksOf().filter((room) => !room.includes('.'));
  const each = rooms.map((room) => `${room} ${lines(room).toLocaleString('en')}`);
  return `Lines of each room, tests left out: ${each.join(' · ')}.\n`;
}

/** The one list of rooms is the architecture test's. */
function ranksOf() {
  const text = readFileSync(join(root, 'test/architecture.test.ts'), 'utf8');
  const [, list] = /const RANKS = \[([\s\S]*?)\];/.exec(text);
  return [...list.matchAll(/'([\w.]+)'/g)].map(([, room]) => room);
}
