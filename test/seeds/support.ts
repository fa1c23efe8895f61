/** What the tests of the seeds share: hooks from text, an agent that plays them, and sentences of a document as titles. */
import { readFileSync } from 'node:fs';
import type { Json } from '../../src/base/json.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import type { Outcome } from '../../src/engine/decision.ts';
import type { Run } from '../../src/terminal/command.ts';
import { parseArguments } from '../../src/terminal/options.ts';
import { fire, hookFile, loadHooks } from '../support/temp-project.ts';

/** A sample of one of the pages, as it is printed there. */
export const data = (name: string): string =>
  readFileSync(new URL(`samples/${name}`, import.meta.url), 'utf8');

/** `handle` with this body, indented as it stands. */
export const handle = (body: string): string =>
  `def handle(event, payload):\n${body
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}`;

export const hook = (body: string, fields = 'event: tool.pre\npriority: 10'): string =>
  hookFile(handle(body), fields);

export const CALL: Json = { id: 'call_abc123', name: 'run_command', args: { command: 'ls' } };

/** What the hooks, by file name, say together. */
export async function decided(
  hooks: Readonly<Record<string, string>>,
  event = 'tool.pre',
  payload: Json = CALL,
): Promise<Outcome> {
  return (await fire(await loadHooks(hooks), event, payload)).outcome;
}

/** What is wrong with one hook file, as `CODE message`. */
export async function wrongWith(text: string, name = 'x'): Promise<string[]> {
  const { problems } = await loadHooks({ [name]: text });
  return problems.map(({ code, message }) => `${code} ${message}`);
}

/** A command of the program, in this process: its exit code and what it prints. */
export async function command(name: string, run: Run, argv: readonly string[]) {
  const lines: string[] = [];
  const plain = (_style: unknown, text: string) => text;
  const code = await run(parseArguments(COMMANDS.find((one) => one.name === name)!, argv), {
    line: (text = '') => void lines.push(text),
    raw: (text) => void lines.push(text),
    note: () => {},
    paint: plain,
    paintNote: plain,
    closed: false,
  });
  return { code, printed: lines.join('\n') };
}
