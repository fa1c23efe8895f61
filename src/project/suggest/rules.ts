/**
 * Rules from refused calls, nothing but what they have in common: for each kind of call a few forms from the widest to the one
 * that names only what was refused. Which of them holds is for the backtest to say.
 */
import { isJsonObject, type Json } from '../../base/index.ts';
import { type Command, readCommand } from '../../shell/index.ts';
import type { Refusal } from './refusals.ts';

export interface Suggestion {
  /** A plain name, for the file. */
  readonly name: string;
  /** What is refused, in words. */
  readonly about: string;
  readonly refused: readonly Refusal[];
  /** Conditions in Starlark, the widest first. */
  readonly forms: readonly Form[];
}

export interface Form {
  readonly about: string;
  /** Of a command: true for each command of the line that it looks at. */
  readonly each: boolean;
  readonly condition: string;
}

/** Programs whose first word says what they do. */
const WITH_VERBS: ReadonlySet<string> = new Set(
  'git npm pnpm yarn docker kubectl helm cargo go pip gh terraform aws gcloud az brew apt apt-get systemctl'.split(
    ' ',
  ),
);

const PATH_TOOLS: ReadonlySet<string> = new Set(['read_file', 'write_file', 'edit_file']);

/** Refused most often first. */
export function suggestionsFor(refused: readonly Refusal[]): Suggestion[] {
  const groups = new Map<string, Refusal[]>();
  for (const refusal of refused) {
    const key = JSON.stringify(kindOf(refusal));
    groups.set(key, [...(groups.get(key) ?? []), refusal]);
  }
  const all = [...groups.values()].map(suggestionFor).sort((a, b) => b.refused.length - a.refused.length);
  const names = new Map<string, number>();
  return all.map((suggestion) => {
    const times = (names.get(suggestion.name) ?? 0) + 1;
    names.set(suggestion.name, times);
    return times === 1 ? suggestion : { ...suggestion, name: `${suggestion.name}-${times}` };
  });
}

/** What refusals must share to be one rule. */
function kindOf({ tool, args }: Refusal): readonly string[] {
  if (tool === 'run_command' && typeof args.command === 'string') {
    const command = onlyCommand(args.command);
    return command === null ? [tool, 'text', args.command] : [tool, 'program', ...programOf(command)];
  }
  if (PATH_TOOLS.has(tool) && typeof args.path === 'string') return [tool, 'path', args.path];
  return [tool];
}

function suggestionFor(refused: readonly Refusal[]): Suggestion {
  const first = refused[0]!;
  const [tool = '', by, ...words] = kindOf(first);
  if (by === 'program') return commandSuggestion(words, refused);
  if (by === 'text') {
    return {
      name: nameOf(['command', words[0]!]),
      about: quoted(words[0]!),
      refused,
      forms: [exactly(refused)],
    };
  }
  if (by === 'path') {
    const [path = ''] = words;
    const form = {
      about: `${tool} of ${path}`,
      each: false,
      condition: `args.get("path") == ${quoted(path)}`,
    };
    return { name: nameOf([tool, path]), about: form.about, refused, forms: [form] };
  }
  const form = { about: `every call of ${tool}`, each: false, condition: 'True' };
  return { name: nameOf([tool]), about: form.about, refused, forms: [form] };
}

function commandSuggestion(words: readonly string[], refused: readonly Refusal[]): Suggestion {
  const [program = '', verb] = words;
  const about = words.join(' ');
  const verbs = verb === undefined ? '' : ` and command.sub(0) == ${quoted(verb)}`;
  const wide: Form = { about, each: true, condition: `command.program == ${quoted(program)}${verbs}` };
  const flags = commonFlags(refused);
  const narrow = flags.map((flag): string => ` and command.has(${quoted(flag)})`).join('');
  const flagged: Form[] =
    flags.length === 0
      ? []
      : [{ about: `${about} ${flags.join(' ')}`, each: true, condition: `${wide.condition}${narrow}` }];
  return { name: nameOf(words), about, refused, forms: [wide, ...flagged, exactly(refused)] };
}

/** The command lines themselves. */
function exactly(refused: readonly Refusal[]): Form {
  const lines = [...new Set(refused.map(({ args }) => String(args.command)))];
  return {
    about: lines.length === 1 ? 'exactly this command line' : `exactly these ${lines.length} command lines`,
    each: false,
    condition: `args.get("command") in [${lines.map(quoted).join(', ')}]`,
  };
}

function commonFlags(refused: readonly Refusal[]): string[] {
  const [first = [], ...rest] = refused.map(({ args }) => onlyCommand(String(args.command))?.flags ?? []);
  return [...new Set(first)].filter((flag) => rest.every((flags) => flags.includes(flag)));
}

/** Of a line that starts one program: which of several a person meant by a no, nobody knows. */
function onlyCommand(text: string): Command | null {
  const { commands, complete } = readCommand(text);
  const [only, ...more] = commands.filter(({ wrapper }) => !wrapper);
  return complete && only !== undefined && only.program !== '' && more.length === 0 ? only : null;
}

function programOf(command: Command): string[] {
  const verb = WITH_VERBS.has(command.program) ? command.sub(0) : '';
  return verb === '' ? [command.program] : [command.program, verb];
}

const LONGEST_NAME = 40;

function nameOf(words: readonly string[]): string {
  const plain = words
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return `refused-${plain.slice(0, LONGEST_NAME).replace(/^-+|-+$/g, '') || 'call'}`;
}

/** A text in Starlark, or data in YAML; all but plain letters escaped, so that a terminal takes it too. */
export function quoted(value: Json): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The hook of a form, as a file. */
export function hookFile({ refused }: Suggestion, form: Form, action: 'block' | 'ask'): string {
  const [{ tool }] = refused as [Refusal];
  const said = refused
    .map(({ reason }) => reason)
    .find((reason) => !['declined', 'interrupted'].includes(reason));
  const reason = said ?? `a person refused this ${refused.length === 1 ? 'once' : `${refused.length} times`}`;
  const answer = `return ${action}(${quoted(reason)})`;
  const body = form.each
    ? [
        'for command in shell.parse(args.get("command", "")).commands:',
        `    if ${form.condition}:`,
        `        ${answer}`,
      ]
    : [`if ${form.condition}:`, `    ${answer}`];
  return [
    '---',
    'event: tool.pre',
    'priority: 50',
    `when: ${quoted(`payload["name"] == ${quoted(tool)}`)}`,
    'tests:',
    ...casesFor(refused, action),
    'script: |',
    '  def handle(event, payload):',
    '      args = payload["args"]',
    ...body.map((line) => `      ${line}`),
    '      return allow()',
    '---',
    '',
    `# ${oneLine(form.about)}`,
    '',
    `From ${refused.length} refused ${refused.length === 1 ? 'call' : 'calls'}: ${refused
      .slice(0, 5)
      .map(({ session, seq }) => `${session}:${seq}`)
      .join(', ')}.`,
    '',
  ].join('\n');
}

const MOST_CASES = 3;

function casesFor(refused: readonly Refusal[], action: string): string[] {
  const payloads = refused.map(({ tool, args }) => quoted({ name: tool, args: ofInterest(args) }));
  return [...new Set(payloads)]
    .slice(0, MOST_CASES)
    .flatMap((payload, i) => [
      `  - name: refused ${i + 1}`,
      `    payload: ${payload}`,
      `    expect: ${action}`,
    ]);
}

/** Without long texts, which no form looks at. */
function ofInterest(args: Json): Json {
  if (!isJsonObject(args)) return args;
  const { command, path } = args;
  if (command !== undefined) return { command };
  return path === undefined ? {} : { path };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
