/**
 * The door of S13: nothing that comes from a payload, a file name, a hook or a model reaches a terminal raw, in any command.
 * Each command is run over names and texts full of hidden characters, and every byte it writes is looked at.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { machineHost } from '../../src/machine/host.ts';
import { openQueue } from '../../src/policy/approvals/queue.ts';
import { harness } from './harness.ts';
import { repository } from './repository.ts';

/** One of each kind: terminal commands of both sets, direction, no width, tags, a carriage return, a bell. */
const EVIL =
  '\u001b]0;pwned\u0007\u001b[2J\u009b31m\u0090\u202e\u2066\u200b\u2060\u061c\ufeff\u00ad\r\u{e0041}\u2028';
/** What a file name can hold. */
const NAME = `evil${EVIL}`;

const hook = (lines: string) => `---\n${lines}\n---\n\n# ${EVIL}\n\nAbout ${EVIL}.\n`;

const FILES = {
  [`.harness/hooks/${NAME}.md`]: hook(
    `event: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      log.info("log " + payload["args"]["text"])\n      return block("said " + payload["args"]["text"]) if "text" in payload["args"] else allow()`,
  ),
  [`.harness/hooks/broken${EVIL}.md`]: hook(`event: tool.pre${EVIL.replaceAll('\r', '')}\npriority: ${EVIL}`),
  '.harness/hooks/tested.md': hook(
    `event: tool.pre\npriority: 3\nscript: |\n  def handle(event, payload):\n      return allow()\ntests:\n  - {name: ${JSON.stringify(`t${EVIL}`)}, payload: {name: x, args: {a: ${JSON.stringify(EVIL)}}}, expect: {action: block, reason: ${JSON.stringify(EVIL)}}}`,
  ),
  '.harness/hooks/raises.md': hook(
    'event: turn.start\npriority: 1\nscript: |\n  def handle(event, payload):\n      fail(payload)',
  ),
  [`.harness/hooks/stray${NAME}.txt`]: 'stray',
  '.harness/settings.json': JSON.stringify({
    hooks: {
      [`Pre${EVIL}`]: [{ path: NAME }],
      PreToolUse: [
        { path: `${NAME}.sh` },
        { matcher: EVIL, hooks: [{ type: 'command', command: `echo ${EVIL}` }] },
      ],
      PostToolUse: [{ path: 'echo.sh' }],
    },
  }),
  'echo.sh': '#!/bin/sh\ncat\ncat >&2 < /dev/null\n',
  '.mcp.json': JSON.stringify({
    mcpServers: { [NAME]: { command: NAME, args: [EVIL] }, [`odd${EVIL}`]: { [EVIL]: EVIL } },
  }),
  'agent.json': JSON.stringify({ name: EVIL, hooks: { [`on${EVIL}`]: [{ action: EVIL }] } }),
  'harn.toml': `[[hooks]]\nevent = "PreToolUse"\nhandler = "no${'\\u202e'}::${'\\u200b'}"\n`,
  [`.harness/tools/t${EVIL}.md`]: hook('script: |\n  def run(args):\n      return "x"'),
  '.harness/tools/say.md': hook('script: |\n  def run(args):\n      return args.get("text", "")'),
  'story.yaml': JSON.stringify({
    completions: [
      { text: `model ${EVIL}`, tool_calls: [{ name: 'say', args: { other: `arg ${EVIL}` } }] },
      { tool_calls: [{ name: `nosuch${EVIL}`, args: { [`k${EVIL}`]: EVIL } }] },
      { text: `end ${EVIL}` },
    ],
  }),
  'bad.star': `x = "${EVIL.replaceAll('\r', '')}"\nprint(x)\nfail(x)\n`,
};

const PAYLOAD = JSON.stringify({ id: EVIL, name: `tool${EVIL}`, args: { text: EVIL, [`key${EVIL}`]: EVIL } });
const DUPLICATE = `{"name": "x", "name": "${'\\u202e'}y\u202e"}`;

/** Whatever a terminal obeys or a reader cannot see; a newline and a tab are text. */
function hidden(text: string): string[] {
  const found = text.match(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/gu,
  );
  return [...new Set(found ?? [])].map((char) => `U+${char.codePointAt(0)!.toString(16)}`);
}

const LINES: readonly [string, readonly string[], string?][] = [
  ['validate', ['validate']],
  ['validate', ['validate', '--json']],
  ['hooks', ['hooks']],
  ['hooks', ['hooks', '--json']],
  ['hooks', ['hooks', '--event', EVIL]],
  ['decide', ['decide', 'tool.pre'], PAYLOAD],
  ['decide', ['decide', 'tool.pre', '--explain'], PAYLOAD],
  ['decide', ['decide', 'tool.pre', '--json'], PAYLOAD],
  ['decide', ['decide', 'tool.pre', '--lines'], `${PAYLOAD}\n${EVIL}\n`],
  ['decide', ['decide', 'tool.pre'], DUPLICATE],
  ['decide', ['decide', 'tool.pre'], `{"a${EVIL}`],
  ['decide', ['decide', 'turn.start'], JSON.stringify(EVIL)],
  ['decide', ['decide', EVIL], '{}'],
  ['decide', ['decide', 'tool.pre', '--payload', NAME]],
  [
    'decide',
    ['decide', 'tool.post'],
    JSON.stringify({ call_id: '1', name: 'x', args: {}, content: EVIL, is_error: false }),
  ],
  ['run', ['run', '--script', 'story.yaml', '--prompt', EVIL]],
  ['run', ['run', '--script', 'story.yaml', '--prompt', EVIL, '--json']],
  ['run', ['run', NAME]],
  ['run', ['run', '--resume', EVIL, '--script', 'story.yaml', '--prompt', 'x']],
  ['run', ['run', '--continue', '--script', 'story.yaml', '--prompt', 'x']],
  ['run', ['run', '--model', EVIL, '--prompt', 'x']],
  ['tape', ['tape', 'ls', '.harness/runs']],
  ['tape', ['tape', 'show', 'TAPE']],
  ['tape', ['tape', 'show', 'TAPE', '--json']],
  ['tape', ['tape', 'show', 'TAPE', '--seq', '3']],
  ['tape', ['tape', 'verify', 'TAPE']],
  ['tape', ['tape', 'stats', 'TAPE']],
  ['tape', ['tape', 'stats', 'TAPE', '--json']],
  ['tape', ['tape', 'show', NAME]],
  ['tape', ['tape', EVIL]],
  ['replay', ['replay', 'TAPE', '--dir', '.']],
  ['replay', ['replay', 'TAPE', '--dir', '.', '--json']],
  ['test', ['test']],
  ['test', ['test', '--json']],
  ['test', ['test', '--filter', EVIL]],
  ['backtest', ['backtest', 'TAPE', '--policy', '.']],
  ['backtest', ['backtest', 'TAPE', '--policy', '.', '--json']],
  ['backtest', ['backtest', 'TAPE', '--policy', '.', '--markdown']],
  ['backtest', ['backtest', NAME, '--policy', NAME]],
  ['diff', ['diff', '.', 'more', '--tries', '300']],
  ['diff', ['diff', '.', 'more', '--tries', '300', '--json', '--tapes', 'TAPE']],
  ['diff', ['diff', NAME, EVIL]],
  ['mcp', ['mcp', 'lock', '--', 'node', '-e', '']],
  ['mcp', ['mcp', 'diff', '--name', EVIL, '--', NAME]],
  ['mcp', ['mcp', '--', NAME], ''],
  ['mcp', ['mcp', '--http', `https://${EVIL}/`]],
  ['mcp', ['mcp', '--http', `http://127.0.0.1:9/${EVIL}`, '--header-env', EVIL]],
  ['mcp', ['mcp', '--listen', EVIL, '--', NAME]],
  ['install', ['install', 'claude-code', '--print']],
  ['install', ['install', EVIL]],
  ['install', ['install', 'mcp', 'claude-code', '--print']],
  ['install', ['install', 'mcp', EVIL]],
  ['uninstall', ['uninstall', 'claude-code', '--print']],
  ['uninstall', ['uninstall', EVIL]],
  ['uninstall', ['uninstall', 'mcp', 'claude-code', '--print']],
  ['status', ['status']],
  ['status', ['status', '--json']],
  ['doctor', ['doctor', EVIL]],
  ['sandbox', ['sandbox', '--', NAME]],
  ['sandbox', ['sandbox', '--network', EVIL, '--', 'true']],
  ['sandbox', ['sandbox', '--print', '--write', EVIL, '--', 'true']],
  ['sandbox', ['sandbox', '--print', '--json', '--hide', EVIL, '--', 'true']],
  ['doctor', ['doctor', '--live', EVIL]],
  ['pause', ['pause', '--for', EVIL, '--reason', EVIL]],
  ['hook', ['hook', EVIL], '{}'],
  ['trust', ['trust'], ''],
  ['trust', ['trust', '--json'], ''],
  ['untrust', ['untrust', NAME]],
  ['packs', ['packs', 'show', EVIL]],
  ['import', ['import', 'claude-code', NAME]],
  ['import', ['import', EVIL]],
  ['suggest', ['suggest', '.']],
  ['suggest', ['suggest', NAME]],
  ['new', ['new', 'hook', EVIL]],
  ['new', ['new', EVIL, 'x']],
  ['completion', ['completion', EVIL]],
  ['approvals', ['approvals', 'ls', '--all']],
  ['approvals', ['approvals', 'ls', '--json']],
  ['approvals', ['approvals', 'show', 'QUESTION']],
  ['approvals', ['approvals', 'show', EVIL]],
  ['approvals', ['approvals', 'stats']],
  ['approvals', ['approvals', EVIL]],
  ['accept', ['accept']],
  ['accept', ['accept', EVIL]],
  ['daemon', ['daemon', 'status']],
  ['daemon', ['daemon', EVIL]],
  ['tape', ['tape', 'find', '.harness/runs', EVIL]],
  ['tape', ['tape', 'audit', 'TAPE']],
  ['tape', ['tape', 'export', 'TAPE', '--jsonl']],
  ['explain', ['explain', EVIL]],
  ['explain', ['explain', EVIL, '--json']],
  ['report', ['report', '.']],
  ['report', ['report', NAME]],
  ['init', ['init', NAME]],
  ['init', ['init', '.']],
  ['model', ['model', '--script', NAME]],
  ['ui', ['ui', '--runs', `${NAME}/missing`]],
  ['ui', ['ui', '--host', EVIL]],
  ['starlark', ['starlark', NAME]],
  [
    'starlark',
    ['starlark', '-i', '--payload', PAYLOAD],
    `payload\nprint(payload)\n:payload\n:${EVIL}\nfail(payload["id"])\n`,
  ],
  ['lsp', ['lsp'], EVIL],
  ['lsp', ['lsp', EVIL]],
  ['fmt', ['fmt', '--diff']],
  ['fmt', ['fmt', '--check', '--json']],
  ['fmt', ['fmt', NAME]],
  ['hub', ['hub', 'check', '--dir', NAME]],
  ['hub', ['hub', 'serve', '--db', `postgres://${EVIL}`]],
  ['hub', ['hub', EVIL]],
  ['fleet', ['fleet', 'join', `http://${EVIL}`, '--token', EVIL]],
  ['fleet', ['fleet', 'status']],
  ['fleet', ['fleet', EVIL]],
  ['help', ['help', EVIL]],
  ['help', [EVIL]],
  ['help', ['decide', `--${EVIL}`]],
];

/** Commands that print only their own words. */
const OWN_WORDS = ['demo'];

describe('what commands write to a terminal', () => {
  it('is looked at for every command there is', () => {
    const looked = new Set(LINES.map(([name]) => name));
    const missing = COMMANDS.map(({ name }) => name).filter(
      (name) => !looked.has(name) && !OWN_WORDS.includes(name),
    );
    expect(missing).toEqual([]);
  });

  it('holds nothing hidden, whatever names and payloads hold', { timeout: 600_000 }, async () => {
    const repo = repository(FILES);
    const env = { HOME: repo.home, HARNESS_TRUST: 'all', FORCE_COLOR: '0' };
    await harness(['run', '--script', 'story.yaml', '--prompt', EVIL], { cwd: repo.dir, env });
    const runs = join(repo.dir, '.harness/runs');
    const [tape] = readdirSync(runs).filter((name) => name.endsWith('.jsonl'));
    mkdirSync(join(repo.dir, 'more'));
    writeFileSync(join(runs, `${NAME}.jsonl`), 'not a tape');
    const queue = openQueue({ ...machineHost, env: (name) => (name === 'HOME' ? repo.home : undefined) })!;
    const ask = { hook: NAME, layer: `project${EVIL}`, rank: 3, reason: EVIL, source: NAME };
    const asking = { host: EVIL, session: EVIL, folder: NAME, tool: EVIL, args: { [EVIL]: EVIL } };
    const put = queue.ask({ ...asking, asks: [ask], reason: EVIL });
    const question = 'question' in put ? put.question : { id: '' };
    const found: string[] = [];
    for (const [, args, input] of LINES) {
      const given = args.map((arg) =>
        arg === 'TAPE' ? join(runs, tape!) : arg === 'QUESTION' ? question.id : arg,
      );
      const done = await harness(given, { cwd: repo.dir, env, ...(input !== undefined && { input }) });
      for (const [name, text] of [
        ['stdout', done.stdout],
        ['stderr', done.stderr],
      ] as const) {
        const seen = hidden(text);
        if (seen.length > 0)
          found.push(`${args.map((arg) => JSON.stringify(arg)).join(' ')} ${name}: ${seen.join(' ')}`);
      }
      expect(done.signal, given.join(' ')).toBe(null);
    }
    expect(found).toEqual([]);
  });

  it('has colours of ours and none of theirs', async () => {
    const repo = repository(FILES);
    const env = { HOME: repo.home, HARNESS_TRUST: 'all', FORCE_COLOR: '1' };
    const { stdout } = await harness(['decide', 'tool.pre'], { cwd: repo.dir, env, input: PAYLOAD });
    expect(stdout).toContain('\u001b[31m');
    expect(hidden(stdout.replace(/\u001b\[(?:1|2|22|3[1236]|39)m/g, ''))).toEqual([]);
  });

  it('lets no newline of a name or a reason begin a line of its own', async () => {
    const repo = repository({
      '.harness/hooks/a.md': hook(
        'event: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block("no\\nallow  all is well")',
      ),
      '.harness/hooks/b\nallow  fine.md': hook('event: tool.pre\npriority: nonsense'),
    });
    const env = { HOME: repo.home, HARNESS_TRUST: 'all' };
    for (const args of [
      ['decide', 'tool.pre'],
      ['decide', 'tool.pre', '--explain'],
      ['validate'],
      ['hooks'],
    ]) {
      const { stdout, stderr } = await harness(args, { cwd: repo.dir, env, input: '{"name":"x","args":{}}' });
      expect(`${stdout}\n${stderr}`.split('\n').filter((line) => line.startsWith('allow  '))).toEqual([]);
    }
  });
});
