// Makes the shapes of a normal day from what real agents handed to their hooks.
//   npm run test:agents -- all --scenario policy-every-tool --keep DIR && node test/normal-day/make-shapes.mjs DIR
// A shape is the payload of one kind of call, as it was captured, with placeholders where a day has its own values.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AGENTS } from '../agents/agents.mjs';
import { EVERY_TOOL, MARKS } from '../agents/every-tool.mjs';

const SCENARIO = 'policy-every-tool';
const PROMPT = 'PROMPT_TOKEN please run the tool';
const SESSION_KEYS = ['session_id', 'sessionId', 'session', 'taskId', 'sessionID', 'rootSessionId'];
const CALL_KEYS = ['tool_use_id', 'callID', 'toolCallId'];
/** Objects whose `id` is that of the call. */
const CALLS = ['tool_call', 'tool_result'];
/** The server of the scenarios and its tool; the names are joined in another way by each agent. */
const MCP_NAMES = [
  ['notes', '{server}'],
  ['keep', '{tool}'],
];
/** What differs from run to run and is read by no adapter. */
const DROPPED = ['duration_ms', 'durationMs', 'executionTimeMs'];

const [kept] = process.argv.slice(2);
for (const agent of AGENTS) {
  const root = join(resolve(kept), agent.name, SCENARIO);
  if (!existsSync(root)) continue;
  const shape = shapeOf(agent, root);
  const file = new URL(`shapes/${agent.name}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(shape, null, 2)}\n`);
  const missing = EVERY_TOOL[agent.name].filter(
    ([kind, tool]) => !['prepare', 'load'].includes(kind) && !shape.seen.includes(tool),
  );
  console.log(agent.name, Object.keys(shape.calls).join(' '));
  if (missing.length > 0) console.log('  no hook was called for', missing.map(([, tool]) => tool).join(', '));
}

function shapeOf(agent, root) {
  const folder = join(root, 'hooks');
  const records = readdirSync(folder)
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  const template = templating(root);
  const pre = records.flatMap((record, at) => (record.event === agent.events.pre ? [{ ...record, at }] : []));
  const calls = {};
  const seen = new Set();
  const rows = [...EVERY_TOOL[agent.name], ...delegation(agent)];
  for (const [kind, tool, args] of rows) {
    const mark = firstText(args)?.replaceAll('{{cwd}}', join(root, 'cwd')) ?? tool;
    const found = pre.find(
      ({ input, at }) => input.includes(inJson(mark)) && isOf(input, tool, kind) && !seen.has(at),
    );
    if (found === undefined) continue;
    seen.add(found.at);
    seen.add(tool);
    if (['prepare', 'load'].includes(kind) || calls[kind] !== undefined) continue;
    const next = pre.find(({ at }) => at > found.at)?.at ?? records.length;
    const after = records.slice(found.at + 1, next).find(({ event }) => isResult(event, agent));
    calls[kind] = { pre: template(found), ...(after !== undefined && { post: template(after) }) };
  }
  const prompt = records.find(({ event, input }) => event === agent.events.prompt && input.includes(PROMPT));
  const [version] = Object.values(agent.packages);
  const [{ variables }] = records;
  return {
    agent: agent.name,
    version,
    source: 'captured',
    variables: template({ input: JSON.stringify(variables) }).payload,
    seen: [...seen].filter((one) => typeof one === 'string').sort(),
    ...(prompt !== undefined && { prompt: template(prompt) }),
    calls,
  };
}

function delegation({ subAgent }) {
  const [call] = subAgent?.(MARKS.prompt) ?? [];
  return call === undefined ? [] : [['delegate', call.name, { prompt: MARKS.prompt }]];
}

/** Two kinds may have the same mark: a file is read, then edited. Codex tells its hooks other names than its model. */
function isOf(input, tool, kind) {
  const codexNames = { exec_command: '"Bash"', keep: 'mcp__notes__keep' };
  if (kind === 'edit' && !input.includes(MARKS.new)) return false;
  return input.includes(`"${tool}"`) || input.includes(codexNames[tool] ?? '\0');
}

function isResult(event, { events }) {
  return event === events.post || event === 'PostToolUseFailure';
}

function firstText(value) {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.values(value)
    .map(firstText)
    .find((text) => text !== undefined);
}

function inJson(text) {
  return JSON.stringify(text).slice(1, -1);
}

function templating(root) {
  const cwd = join(root, 'cwd');
  const made = MARKS.made.replace('/new', '');
  const pairs = [
    ...[MARKS.relative, MARKS.made, made, MARKS.notebook, MARKS.image].map((path) => [
      `${cwd}/${path}`,
      '{path}',
    ]),
    ...[MARKS.relative, MARKS.made, MARKS.notebook, MARKS.image].map((path) => [path, '{relative}']),
    [`${cwd}/src`, '{folder}'],
    [MARKS.glob, '{glob}'],
    [cwd, '{workspace}'],
    [cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), '-workspace'],
    [join(root, 'home'), '{home}'],
    [join(root, 'tmp'), '{tmp}'],
    [MARKS.command, '{command}'],
    [MARKS.background, '{command}'],
    ...['content', 'old', 'new', 'pattern', 'url', 'query', 'prompt', 'todo', 'output'].map((key) => [
      MARKS[key],
      `{${key}}`,
    ]),
    [PROMPT, '{prompt}'],
    [`kept ${MARKS.note}`, '{output}'],
    ['SUB_ANSWER', '{output}'],
  ];
  return ({ event, input }) => {
    const payload = JSON.parse(input);
    const all = [...pairs, ...ids(payload), ...(input.includes(MARKS.note) ? MCP_NAMES : [])];
    const text = (value) => all.reduce((now, [mark, place]) => now.replaceAll(mark, () => place), value);
    return { event, payload: walk(payload, text) };
  };
}

/** Ids of the run in one payload. */
function ids(payload) {
  const found = [];
  const look = (value, key) => {
    if (typeof value === 'string' && value.length > 5) {
      if (SESSION_KEYS.includes(key)) found.push([value, '{session}']);
      else if (CALL_KEYS.includes(key)) found.push([value, '{call}']);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value))
        look(inner, CALLS.includes(key) && name === 'id' ? 'callID' : name);
    }
  };
  look(payload, '');
  return found;
}

function walk(value, text) {
  if (typeof value === 'string') {
    const inner = jsonIn(value);
    return inner === null ? text(value) : { $json: walk(inner, text) };
  }
  if (Array.isArray(value)) return value.map((one) => walk(one, text));
  if (typeof value !== 'object' || value === null) return value;
  if (Object.keys(value).length === 1 && value.note === MARKS.note) return '{args}';
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !DROPPED.includes(key))
      .map(([key, inner]) => [key, walk(inner, text)]),
  );
}

/** Some agents hand over a part of the call as JSON in a text. */
function jsonIn(value) {
  if (!/^[[{].*[\]}]$/s.test(value) || value.includes('nbformat')) return null;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}
