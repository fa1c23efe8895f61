/**
 * `harness starlark -i`: a prompt on a terminal, with history and completion; the same without one, line by line, for pipes.
 */
import { createInterface, type Interface } from 'node:readline';
import { didYouMean, type Json, readJson } from '../../base/index.ts';
import { eventSpec, resolveEvent } from '../../engine/index.ts';
import { openPolicy } from '../../policy/index.ts';
import { findTapes, payloadAt, sampleOf } from '../../project/index.ts';
import { BUILTIN_DOCS } from '../../script/index.ts';
import {
  type Arguments,
  isJsonText,
  type Output,
  quote,
  readHistory,
  readLines,
  readText,
  UsageError,
  writeHistory,
} from '../../terminal/index.ts';
import { Inputs, Session } from './session.ts';

export async function interact(args: Arguments, output: Output): Promise<number> {
  const { event, payload } = await startOf(args);
  const policy = await openPolicy('.', { trust: 'no code', allowEmpty: true });
  const talk = new Talk(new Session(policy, event, payload), output);
  return process.stdin.isTTY ? atTerminal(talk, output) : fromPipe(talk);
}

/** The payload and the event of it: from a tape, from a file, or the smallest one of the event. */
async function startOf(args: Arguments): Promise<{ readonly event: string; readonly payload: Json }> {
  const resolved = resolveEvent(args.value('event') ?? 'tool.pre');
  if (!resolved.ok) throw new UsageError(`${resolved.message}${resolved.hint}`);
  if (args.has('tape')) return recorded(args);
  const given = args.value('payload');
  if (given === '-') throw new UsageError('stdin is where you type: --payload wants a file or JSON');
  const text = isJsonText(given) ? given : given === undefined ? null : await readText(given);
  const spec = eventSpec(resolved.event);
  if (text === null)
    return { event: resolved.event, payload: spec === undefined ? {} : sampleOf(spec.payload) };
  const read = readJson(text);
  if (!read.ok) throw new UsageError(`the payload is not usable JSON: ${read.message}`);
  return { event: resolved.event, payload: read.value };
}

function recorded(args: Arguments): { readonly event: string; readonly payload: Json } {
  const [text = '', extra] = args.positionals;
  const seq = Number(text);
  if (extra !== undefined || !/^\d+$/.test(text))
    throw new UsageError('--tape ID goes with the number of an entry: --tape 4f1c 12');
  const { files, single } = findTapes(args.value('tape'));
  if (!single && files.length > 1)
    throw new UsageError(`${quote(args.value('tape')!)} holds ${files.length} tapes; name one`);
  const found = payloadAt(files[0]!, seq);
  if (found === null) throw new UsageError(`entry ${seq} of ${quote(files[0]!)} is no part of a decision`);
  return found;
}

const COMMANDS: Readonly<Record<string, string>> = {
  ':help': 'this, or with a name of a built-in what it does: :help re.search',
  ':payload': 'the payload, as JSON',
  ':event': 'the event',
  ':quit': 'the end; so is Ctrl-D',
};

class Talk {
  readonly session: Session;
  over = false;
  failed = false;
  private readonly output: Output;

  constructor(session: Session, output: Output) {
    this.session = session;
    this.output = output;
  }

  async hear(input: string): Promise<void> {
    const text = input.trim();
    if (text.startsWith(':')) {
      this.command(text);
      return;
    }
    const answer = await this.session.evaluate(input);
    for (const line of answer.printed) this.output.line(line);
    if (!answer.ok) {
      this.failed = true;
      this.output.note(`${this.output.paintNote('red', 'error')}: ${answer.message}`);
    } else if (answer.shows !== null) this.output.line(answer.shows);
  }

  private command(text: string): void {
    const [name = '', topic] = text.split(/\s+/);
    const { output, session } = this;
    if (name === ':quit') this.over = true;
    else if (name === ':event') output.line(session.event);
    else if (name === ':payload') output.line(JSON.stringify(session.payload, null, 2));
    else if (name === ':help') this.help(topic);
    else {
      this.failed = true;
      const hint = didYouMean(name, Object.keys(COMMANDS));
      output.note(
        `${output.paintNote('red', 'error')}: there is no ${quote(name)}${hint}; :help lists what there is`,
      );
    }
  }

  private help(topic: string | undefined): void {
    const { output } = this;
    if (topic === undefined) {
      for (const [name, about] of Object.entries(COMMANDS)) output.line(`${name.padEnd(10)} ${about}`);
      output.line();
      output.line('event and payload are those of the call; every built-in of a hook is there.');
      output.line('The clock stands still, and nothing leaves: no address answers, no program starts.');
      return;
    }
    const found = BUILTIN_DOCS.filter(({ name }) => name === topic || name.startsWith(`${topic}.`));
    for (const { signature, doc } of found) output.line(`${output.paint('bold', signature)}  ${doc}`);
    const names = BUILTIN_DOCS.map(({ name }) => name);
    if (found.length === 0) output.line(`there is no built-in ${quote(topic)}${didYouMean(topic, names)}`);
  }
}

async function fromPipe(talk: Talk): Promise<number> {
  const inputs = new Inputs();
  for await (const line of readLines('-')) {
    if (line === null) throw new UsageError('stdin is not UTF-8 text');
    for (const input of inputs.take(line)) await talk.hear(input);
    if (talk.over) return talk.failed ? 1 : 0;
  }
  for (const input of inputs.take(null)) await talk.hear(input);
  return talk.failed ? 1 : 0;
}

const PROMPT = '>>> ';
const MORE = '... ';
const HISTORY = 'starlark-history.json';

/** Mistakes are part of trying: the end of a session is always fine. */
async function atTerminal(talk: Talk, output: Output): Promise<number> {
  output.note(`${talk.session.event} with a payload; :help says more`);
  const inputs = new Inputs();
  const reader = createInterface({
    input: process.stdin,
    output: process.stdout,
    prompt: PROMPT,
    // Newest first, as readline has it.
    history: readHistory(HISTORY).reverse(),
    historySize: 500,
    completer: (line: string, done: (error: null, found: [string[], string]) => void) => {
      void completions(talk.session, line).then((found) => done(null, found));
    },
  });
  reader.on('history', (lines: string[]) => writeHistory(HISTORY, lines.toReversed()));
  reader.on('SIGINT', () => {
    inputs.clear();
    output.line();
    reader.setPrompt(PROMPT);
    reader.prompt();
  });
  await conversation(reader, talk, inputs);
  reader.close();
  output.line();
  return 0;
}

async function conversation(reader: Interface, talk: Talk, inputs: Inputs): Promise<void> {
  reader.prompt();
  for await (const line of reader) {
    for (const input of inputs.take(line)) await talk.hear(input);
    if (talk.over) return;
    reader.setPrompt(inputs.open ? MORE : PROMPT);
    reader.prompt();
  }
}

async function completions(session: Session, line: string): Promise<[string[], string]> {
  const begun = /[\w/.-]*$/.exec(line)![0];
  const word = begun.slice(begun.lastIndexOf('.') + 1);
  if (line.startsWith(':')) return [Object.keys(COMMANDS).filter((name) => name.startsWith(line)), line];
  const { completeScript } = await import('../../lsp/index.ts');
  const found = completeScript({ event: session.event, text: `${session.text}\n${line}` });
  return [found.filter((name) => name.startsWith(word)), word];
}
