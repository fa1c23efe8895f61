/**
 * One project with every way of writing policy in it, in every layer, and a table of events with what each must come to.
 * Whoever decides for this folder must name the same chain and give the same answers.
 */
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { TraceEntry } from '../../src/engine/decision.ts';
import { hookFile } from './temp-project.ts';

const guard = (word: string, answer: string, fields = 'event: tool.pre\npriority: 10') =>
  hookFile(
    `def handle(event, payload):\n    if "${word}" in payload["args"].get("text", ""):\n        return ${answer}\n    return allow()`,
    fields,
  );

/** What stands in `/etc/harness`, if somebody may write there. */
export const MANAGED = {
  'hooks/guard.md': guard('secret', 'block("managed: secret")'),
};

export const USER = {
  'hooks/guard.md': guard('mine', 'block("user: mine")'),
  'harness.md':
    '---\npermissions:\n  rules: [{tools: [send], zone: ask, reason: the user wants to know}]\n---\n',
};

/** The outer project folder, and one inside it. */
export const PROJECT = {
  'harness.md':
    '---\nstrict: true\nexit_policy: {mode: done_tool}\npermissions:\n  rules: [{tools: [erase], zone: never, reason: nothing is erased}]\n---\n',
  '.harness/hooks/guard.md': guard('theirs', 'block("project: theirs")'),
  '.harness/hooks/post.md': hookFile(
    'def handle(event, payload):\n    return block("hidden") if "token" in payload["content"] else allow()',
    'event: tool.post\npriority: 10',
  ),
  '.harness/hooks/answer.md': hookFile(
    'def handle(event, payload):\n    return permit("yes") if payload["args"].get("text") == "fine" else allow()',
    'event: permission.asked\npriority: 10',
  ),
  '.harness/hooks/raises.md': hookFile(
    'def handle(event, payload):\n    return allow()',
    'event: tool.pre\npriority: 12\nwhen: payload["args"]["text"] == "x"',
  ),
  '.harness/settings.json': JSON.stringify({
    hooks: { PreToolUse: [{ path: 'check.sh', matcher: { tool_name: 'shell' } }] },
  }),
  'check.sh': '#!/bin/sh\ngrep -q forbidden && { echo "settings: forbidden" >&2; exit 2; }\nexit 0\n',
  'agent.json': JSON.stringify({
    name: 'shop',
    hooks: { onToolCall: [{ action: 'approve', tools: ['pay'] }] },
  }),
  'harn.toml': '[[hooks]]\nevent = "PreToolUse"\npattern = "exec_*"\nhandler = "policy::gate"\n',
  'policy.star': 'def gate(event):\n    return {"deny": event["tool"]["name"] + " is gated"}\n',
  '.harness/patterns.yaml':
    "version: 1\naudit: false\ncommands:\n  blocked: ['make deploy']\n  confirm: ['git push']\npaths:\n  zeroAccess: ['.env']\n",
  'packages/app/.harness/hooks/guard.md': hookFile(
    'def handle(event, payload):\n    if payload["args"].get("text") == "turn":\n        return modify({"args": {"text": "secretly mine"}})\n    return allow()',
    'event: tool.pre\npriority: 20',
  ),
  'packages/app/src/main.ts': '',
};

/** Where the one who decides stands: below the inner project folder. */
export const STANDING = 'packages/app/src';

/** Prefixes every path of a table of files. */
export function under(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

export interface Row {
  readonly title: string;
  readonly event: string;
  readonly payload: JsonObject;
  /** The outcome; `hook` with its layer if it is not simply allowed. */
  readonly action: string;
  readonly hook: string | null;
  /** What it comes to without the managed layer, if that is something else. */
  readonly unmanaged?: { readonly action: string; readonly hook: string | null };
}

const call = (title: string, name: string, args: JsonObject, action: string, hook: string | null): Row => ({
  title,
  event: 'tool.pre',
  payload: { id: title, name, args },
  action,
  hook,
});

/** Never run: it is what the floor is there for. */
const RUIN = 'reboot';

export const ROWS: readonly Row[] = [
  call('nothing wrong', 'echo', { text: 'hello' }, 'allow', null),
  {
    ...call('managed guard', 'echo', { text: 'secret' }, 'block', 'guard'),
    unmanaged: { action: 'allow', hook: null },
  },
  call('user guard', 'echo', { text: 'mine' }, 'block', 'guard'),
  call('project guard', 'echo', { text: 'theirs' }, 'block', 'guard'),
  call('condition raises under strict', 'echo', {}, 'block', 'raises'),
  call('rewritten by the inner folder', 'echo', { text: 'turn' }, 'block', 'guard'),
  call('table of the user', 'send', { text: 'x' }, 'ask', 'permissions'),
  call('table of the project', 'erase', { text: 'x' }, 'block', 'permissions'),
  call('settings.json', 'shell', { text: 'forbidden' }, 'block', 'check'),
  call('agent.json', 'pay', { text: 'x' }, 'block', 'hooks.onToolCall[0]:approve'),
  call('harn.toml', 'exec_it', { text: 'x' }, 'block', 'policy::gate'),
  call(
    'patterns.yaml, blocked',
    'shell',
    { text: 'x', command: 'make deploy' },
    'block',
    'patterns:commands.blocked',
  ),
  call(
    'patterns.yaml, confirm',
    'shell',
    { text: 'x', command: 'git push' },
    'ask',
    'patterns:commands.confirm',
  ),
  call('patterns.yaml, path', 'read', { text: 'x', path: '.env' }, 'block', 'patterns:paths.zeroAccess'),
  call('the floor', 'shell', { text: 'x', command: RUIN }, 'block', 'floor'),
];

export const OTHER_ROWS: readonly Row[] = [
  {
    title: 'a result that is hidden',
    event: 'tool.post',
    payload: { call_id: '1', name: 'echo', args: {}, content: 'a token', is_error: false },
    action: 'block',
    hook: 'post',
  },
  {
    title: 'stopping without having said so',
    event: 'agent.stop',
    payload: { text: 'done', turn: 1 },
    action: 'block',
    hook: 'exit_policy',
  },
];

/** The chain as a trace names it. */
export function chainIn(trace: readonly Pick<TraceEntry, 'hook' | 'layer' | 'recheck'>[]): string[] {
  return trace.filter(({ recheck }) => recheck !== true).map(({ hook, layer }) => `${layer}/${hook}`);
}

/** What an outcome comes to, without what differs from one run to the next. */
export function verdictOf(outcome: {
  readonly action: string;
  readonly hook: string | null;
  readonly reason: string | null;
  readonly trace: readonly TraceEntry[];
}): Json {
  const { action, hook, reason, trace } = outcome;
  return {
    action,
    hook,
    reason,
    trace: trace.map((entry) => [
      entry.layer,
      entry.hook,
      entry.state,
      entry.decision,
      entry.recheck === true ? 'recheck' : 'first look',
    ]),
  };
}
