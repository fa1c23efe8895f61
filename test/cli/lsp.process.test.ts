/**
 * A session of an editor with `harness lsp`: the real command, a real client, over stdio. What is typed and not saved counts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CodeAction,
  type CompletionItem,
  createProtocolConnection,
  type Diagnostic,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { harness, project } from './harness.ts';

const GUARD = `---
event: tool.pre
priority: 50
when: payload["name"] == "say"
script: |
  load("//lib/words.star", "loud")

  def handle(event, payload):
      text = payload["args"]["text"]
      if loud(text):
          return block("do not shout")
      return allow()
---
`;

const WORDS = `def loud(text):
    """Whether a text is all capitals."""
    return text == text.upper()
`;

const TOOL = '---\nscript: |\n  def run(args):\n      return args.get("text", "")\n---\nSays it.\n';

let child: ChildProcess;
let client: ProtocolConnection;
let dir: string;
let uri: string;
const told = new Map<string, Diagnostic[]>();
const waiting: (() => void)[] = [];
const shown: string[] = [];
let version = 1;

/** The text with the cursor where `|` stands. */
function cursor(marked: string): { text: string; position: { line: number; character: number } } {
  const at = marked.indexOf('‸');
  const before = marked.slice(0, at).split('\n');
  return {
    text: marked.replace('‸', ''),
    position: { line: before.length - 1, character: before.at(-1)!.length },
  };
}

async function type(text: string, file = uri): Promise<void> {
  await client.sendNotification('textDocument/didChange', {
    textDocument: { uri: file, version: ++version },
    contentChanges: [{ text }],
  });
}

/** Diagnostics of a file, once they satisfy; the test runner gives up in the end. */
async function diagnosticsWhere(right: (found: Diagnostic[]) => boolean, file = uri): Promise<Diagnostic[]> {
  for (;;) {
    const found = told.get(file);
    if (found !== undefined && right(found)) return found;
    await new Promise<void>((done) => waiting.push(done));
  }
}

async function complete(marked: string, file = uri): Promise<CompletionItem[]> {
  const { text, position } = cursor(marked);
  await type(text, file);
  return client.sendRequest('textDocument/completion', { textDocument: { uri: file }, position });
}

const labels = (items: readonly CompletionItem[]) => items.map(({ label }) => label);

beforeAll(async () => {
  dir = project({
    '.harness/hooks/guard.md': GUARD,
    '.harness/lib/words.star': WORDS,
    '.harness/tools/say.md': TOOL,
    'story.yaml': 'completions:\n  - tool_calls: [{name: say, args: {text: HELLO}}]\n  - text: done\n',
  });
  await harness(['run', '--script', 'story.yaml', '--prompt', 'go'], { cwd: dir });
  uri = pathToFileURL(join(dir, '.harness/hooks/guard.md')).href;
  child = spawn(process.execPath, [CLI_FILE, 'lsp', '--stdio'], {
    cwd: dir,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  client = createProtocolConnection(
    new StreamMessageReader(child.stdout!),
    new StreamMessageWriter(child.stdin!),
  );
  client.onNotification(
    'textDocument/publishDiagnostics',
    (sent: { uri: string; diagnostics: Diagnostic[] }) => {
      told.set(sent.uri, sent.diagnostics);
      for (const done of waiting.splice(0)) done();
    },
  );
  client.onRequest('window/showMessageRequest', ({ message }: { message: string }) => {
    shown.push(message);
    return null;
  });
  client.onNotification('window/showMessage', ({ message }: { message: string }) => void shown.push(message));
  client.listen();
  await client.sendRequest('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(dir).href,
    capabilities: {},
  });
  await client.sendNotification('initialized', {});
  await client.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'markdown', version, text: GUARD },
  });
});

afterAll(async () => {
  await client.sendRequest('shutdown');
  const over = new Promise((done) => child.on('exit', done));
  await client.sendNotification('exit');
  await over;
});

describe('a session with the language server', () => {
  it('gives the diagnostics of validate on what is typed, and takes them back', async () => {
    await type(GUARD.replace('payload["args"]["text"]', 'payload["agrs"]["text"]'));
    const [found] = await diagnosticsWhere((all) => all.length > 0);
    expect(found).toMatchObject({
      code: 'PAYLOAD_KEY',
      source: 'harness',
      severity: 2,
      range: { start: { line: 8 } },
    });
    const saved = JSON.parse((await harness(['validate', '--json'], { cwd: dir })).stdout);
    expect(saved.problems).toEqual([]);
    await type(GUARD);
    expect(await diagnosticsWhere((all) => all.length === 0)).toEqual([]);
  });

  it('completes events, fields, keys of the payload, tools, members, libraries and names', async () => {
    expect(labels(await complete(GUARD.replace('event: tool.pre', 'event: ‸')))).toEqual(
      expect.arrayContaining(['tool.pre', 'turn.start', 'PreToolUse']),
    );
    const fields = await complete(GUARD.replace('priority: 50', 'on‸'));
    expect(labels(fields)).toEqual(expect.arrayContaining(['on_error', 'mode', 'tests']));
    expect(fields.find(({ label }) => label === 'mode')?.documentation).toMatchObject({ kind: 'markdown' });
    expect(labels(await complete(GUARD.replace('priority: 50', 'mode: ‸')))).toEqual([
      'enforce',
      'warn',
      'shadow',
    ]);
    expect(
      labels(await complete(GUARD.replace('text = payload["args"]["text"]', 'text = payload["‸"]'))),
    ).toEqual(expect.arrayContaining(['name', 'args', 'arguments', 'id']));
    expect(labels(await complete(GUARD.replace('== "say"', '== "‸"')))).toContain('say');
    expect(labels(await complete(GUARD.replace('text = payload["args"]["text"]', 're.‸')))).toEqual(
      expect.arrayContaining(['search', 'findall', 'replace']),
    );
    expect(labels(await complete(GUARD.replace('"//lib/words.star"', '"‸"')))).toEqual(['//lib/words.star']);
    expect(labels(await complete(GUARD.replace('"loud"', '"‸"')))).toEqual(['loud']);
    const names = labels(await complete(GUARD.replace('return allow()', 'return ‸')));
    expect(names).toEqual(expect.arrayContaining(['allow', 'block', 'len', 'text', 'loud', 'payload']));
    expect(await complete(GUARD.replace('"do not shout"', '"do n‸ot"'))).toEqual([]);
  });

  it('explains what is under the cursor from the reference', async () => {
    const hover = async (marked: string) => {
      const { text, position } = cursor(marked);
      await type(text);
      const found = (await client.sendRequest('textDocument/hover', { textDocument: { uri }, position })) as {
        contents: { value: string };
      } | null;
      return found?.contents.value ?? null;
    };
    expect(await hover(GUARD.replace('return block', 'return bl‸ock'))).toContain(
      'Rejects; the agent sees the reason.',
    );
    expect(await hover(GUARD.replace('["args"]', '["ar‸gs"]'))).toContain('The decoded arguments.');
    expect(await hover(GUARD.replace('tool.pre', 'tool.p‸re'))).toContain('A block:');
    expect(await hover(GUARD.replace('priority', 'prio‸rity'))).toContain('integer');
    expect(await hover(GUARD.replace('if loud', 'if lo‸ud'))).toContain('Whether a text is all capitals.');
  });

  it('goes to where a name was made, also in a library', async () => {
    const define = async (marked: string) => {
      const { text, position } = cursor(marked);
      await type(text);
      return client.sendRequest('textDocument/definition', { textDocument: { uri }, position });
    };
    expect(await define(GUARD.replace('loud(text)', 'loud(te‸xt)'))).toMatchObject({
      uri,
      range: { start: { line: 8, character: 6 } },
    });
    const library = pathToFileURL(join(dir, '.harness/lib/words.star')).href;
    expect(await define(GUARD.replace('if loud', 'if lo‸ud'))).toMatchObject({
      uri: library,
      range: { start: { line: 0, character: 4 } },
    });
    expect(await define(GUARD.replace('//lib/words', '//lib/wo‸rds'))).toMatchObject({ uri: library });
  });

  it('renames a variable and no other, and refuses what it cannot rename', async () => {
    const rename = async (marked: string, newName: string) => {
      const { text, position } = cursor(marked);
      await type(text);
      return client.sendRequest('textDocument/rename', {
        textDocument: { uri },
        position,
        newName,
      }) as Promise<{
        changes: Record<string, unknown[]>;
      }>;
    };
    const { changes } = await rename(GUARD.replace('      text =', '      te‸xt ='), 'said');
    expect(changes[uri]).toHaveLength(2);
    await expect(rename(GUARD.replace('return block', 'return bl‸ock'), 'no')).rejects.toThrow(
      'only names that the script',
    );
    await expect(rename(GUARD.replace('def handle', 'def han‸dle'), 'other')).rejects.toThrow(
      'what the host calls',
    );
    await expect(rename(GUARD.replace('      text =', '      te‸xt ='), 'not ok')).rejects.toThrow(
      'is no name',
    );
  });

  it('offers the smallest change for a finding', async () => {
    const fixes = async (text: string, code: string) => {
      await type(text);
      const found = (await diagnosticsWhere((all) => all.some((each) => each.code === code))).filter(
        (each) => each.code === code,
      );
      const range = found[0]!.range;
      const actions = (await client.sendRequest('textDocument/codeAction', {
        textDocument: { uri },
        range,
        context: { diagnostics: found },
      })) as CodeAction[];
      return actions.map(({ title, edit }) => [title, edit!.changes![uri]![0]!.newText]);
    };
    expect(
      await fixes(GUARD.replace('payload["args"]["text"]', 'payload["agrs"]["text"]'), 'PAYLOAD_KEY'),
    ).toEqual([
      ['Change to args', 'args'],
      ['Accept PAYLOAD_KEY here, with a reason', '  # harness: ignore PAYLOAD_KEY because …'],
    ]);
    expect(await fixes(GUARD.replace('return block', 'block'), 'DECISION_DROPPED')).toContainEqual([
      'Return the decision',
      'return ',
    ]);
    expect(await fixes(GUARD.replace('      return allow()\n', ''), 'RETURN_MISSING')).toContainEqual([
      'Add return allow()',
      '\n      return allow()',
    ]);
    expect(await fixes(GUARD.replace('priority: 50\n', ''), 'PRIORITY_MISSING')).toContainEqual([
      'Add priority: 50',
      'priority: 50\n',
    ]);
  });

  it('formats, and decides with the last recorded payload as the text stands now', async () => {
    const loose = GUARD.replace('loud(text)', 'loud( text )');
    await type(loose);
    const edits = (await client.sendRequest('textDocument/formatting', {
      textDocument: { uri },
      options: { tabSize: 4, insertSpaces: true },
    })) as { newText: string }[];
    expect(edits[0]?.newText).toBe(GUARD);
    await type(GUARD.replace('do not shout', 'quiet, please'));
    const [lens] = (await client.sendRequest('textDocument/codeLens', { textDocument: { uri } })) as {
      command: { title: string; command: string; arguments: unknown[] };
    }[];
    expect(lens?.command.title).toBe('decide with the last recorded payload');
    const { command, arguments: given } = lens!.command;
    const decided = await client.sendRequest('workspace/executeCommand', { command, arguments: given });
    expect(decided).toMatchObject({
      action: 'block',
      reason: 'quiet, please',
      hook: 'guard',
      payload: { name: 'say', args: { text: 'HELLO' } },
      from: expect.stringMatching(/^entry \d+ of /),
    });
    expect(shown.at(-1)).toMatch(/^block: quiet, please/);
    expect(readFileSync(join(dir, '.harness/hooks/guard.md'), 'utf8')).toBe(GUARD);
  });

  it('knows a file by its path, however the editor writes its address', async () => {
    const other = pathToFileURL(join(dir, '.harness/tools/say.md')).href.replace('say.md', 's%61y.md');
    await client.sendNotification('textDocument/didOpen', {
      textDocument: {
        uri: other,
        languageId: 'markdown',
        version: 1,
        text: TOOL.replace('args.get', 'arsg.get'),
      },
    });
    const [found] = await diagnosticsWhere((all) => all.length > 0, other);
    expect(found).toMatchObject({ code: 'SCRIPT_INVALID', range: { start: { line: 3 } } });
    await client.sendNotification('textDocument/didClose', { textDocument: { uri: other } });
  });

  it('sees a library that is being edited in the hooks that load it', async () => {
    const library = pathToFileURL(join(dir, '.harness/lib/words.star')).href;
    await type(GUARD);
    await client.sendNotification('textDocument/didOpen', {
      textDocument: {
        uri: library,
        languageId: 'starlark',
        version: 1,
        text: WORDS.replace('def loud', 'def lout'),
      },
    });
    const [found] = await diagnosticsWhere((all) => all.length > 0);
    expect(found?.message).toContain('defines no loud (did you mean lout?)');
  });
});
