/**
 * `sources:` of harness.md: which tools give what label, for the whole result or by field. Two axes: integrity (who could have written it)
 * and confidentiality (named labels, with the readers that may have it). Of several layers the strictest label counts.
 */
import {
  compileGlob,
  either,
  type Glob,
  isJsonObject,
  type Json,
  mapOf,
  oneOf,
  optional,
  strictMap,
  text,
  texts,
} from '../base/index.ts';

/** From the most to the least. */
export const INTEGRITIES = ['user', 'trusted', 'untrusted'] as const;
export type Integrity = (typeof INTEGRITIES)[number];

const INTEGRITY = (doc: string) => oneOf(doc, ['trusted', 'untrusted']);

export const SOURCES = mapOf(
  'Where the results of tools come from, by a glob over the name of the tool. The first that fits counts; of several layers the strictest.',
  either(
    '',
    INTEGRITY(''),
    strictMap('', {
      default: optional(INTEGRITY('Of the result, where no field says otherwise.'), 'untrusted'),
      trusted_fields: optional(
        texts('Fields of a structured result that its author cannot write, such as `id` and `date`.'),
        'none',
      ),
      confidential: optional(either('Labels of what may not go to everybody.', text(''), texts('')), 'none'),
      readers: optional(texts('Globs over the recipients that may have what is confidential.'), 'nobody'),
    }),
  ),
);

/** As written; null: it cannot be understood, and every source is untrusted. */
export type WrittenSources = Readonly<Record<string, Json>> | null;

export interface Label {
  readonly integrity: Integrity;
  readonly trustedFields: readonly string[];
  readonly confidential: readonly string[];
}

interface Row {
  readonly fits: Glob;
  readonly label: Label;
}

export class Sources {
  private readonly layers: readonly (readonly Row[])[];
  private readonly readersOf: ReadonlyMap<string, readonly Glob[]>;

  /** One for each layer that writes them. */
  constructor(layers: readonly WrittenSources[]) {
    this.layers = layers.map((written) =>
      written === null ? [EVERYTHING] : Object.entries(written).map(rowOf),
    );
    const readers = new Map<string, readonly string[]>();
    for (const value of layers.flatMap((written) => Object.values(written ?? {}))) {
      if (!isJsonObject(value)) continue;
      for (const label of wordsIn(value.confidential)) {
        const stated = wordsIn(value.readers);
        // Of two statements, what both say.
        readers.set(label, readers.get(label)?.filter((reader) => stated.includes(reader)) ?? stated);
      }
    }
    this.readersOf = new Map(
      [...readers].map(([label, globs]) => [label, globs.map((glob) => compileGlob(glob.toLowerCase()))]),
    );
  }

  /** What the layers say of a tool by one of its names; null: none says anything. */
  stated(names: readonly string[]): Label | null {
    const found = this.layers.flatMap(
      (rows) => rows.find(({ fits }) => names.some((name) => fits(name)))?.label ?? [],
    );
    return found.length === 0 ? null : found.reduce(strictest);
  }

  mayRead(label: string, reader: string): boolean {
    return this.readersOf.get(label)?.some((fits) => fits(reader.toLowerCase())) === true;
  }
}

function strictest(a: Label, b: Label): Label {
  return {
    integrity: worse(a.integrity, b.integrity),
    // A result that is trusted as a whole needs no list.
    trustedFields:
      a.integrity === 'trusted'
        ? b.trustedFields
        : b.integrity === 'trusted'
          ? a.trustedFields
          : a.trustedFields.filter((field) => b.trustedFields.includes(field)),
    confidential: [...new Set([...a.confidential, ...b.confidential])],
  };
}

export function worse(a: Integrity, b: Integrity): Integrity {
  return INTEGRITIES.indexOf(a) < INTEGRITIES.indexOf(b) ? b : a;
}

export const UNTRUSTED: Label = { integrity: 'untrusted', trustedFields: [], confidential: [] };
export const TRUSTED: Label = { ...UNTRUSTED, integrity: 'trusted' };
const EVERYTHING: Row = { fits: compileGlob('*'), label: UNTRUSTED };

function rowOf([pattern, value]: [string, Json]): Row {
  const fits = compileGlob(pattern);
  if (!isJsonObject(value)) return { fits, label: value === 'trusted' ? TRUSTED : UNTRUSTED };
  return {
    fits,
    label: {
      integrity: value.default === 'trusted' ? 'trusted' : 'untrusted',
      trustedFields: wordsIn(value.trusted_fields),
      confidential: wordsIn(value.confidential),
    },
  };
}

function wordsIn(value: Json | undefined): string[] {
  return value === undefined ? [] : [value].flat().map(String);
}

/** Where a result comes from when no layer says it: `workspace` and `command` depend on the call. */
export type DefaultSource = Label | 'workspace' | 'command' | 'session';

const OF_AGENT = 'the agent';
const DEFAULTS: readonly (readonly [readonly string[], DefaultSource, string])[] = [
  [['fetch_url'], UNTRUSTED, 'a web page'],
  [['web_search'], UNTRUSTED, 'a web search'],
  [['read_file', 'write_file', 'edit_file', 'list_files', 'search_files'], 'workspace', 'a file'],
  [['run_command'], 'command', 'the output of a command'],
  [['delegate'], 'session', 'a sub-agent'],
  // Their results repeat what the agent or its user said.
  [
    [
      ...['todo', 'todos', 'todo_*', 'todoread', 'todowrite', 'Todo*', 'write_todos', 'manage_todo_list'],
      ...['update_plan', '*plan_mode', '*PlanMode', 'AskUserQuestion', 'ask_user*', 'ask_followup_question'],
      ...[
        'Skill',
        'ToolSearch',
        'KillShell',
        'KillBash',
        'TaskCreate',
        'TaskUpdate',
        'TaskStop',
        'create_goal',
        'update_goal',
        'think',
      ],
    ],
    TRUSTED,
    OF_AGENT,
  ],
];

const COMPILED = DEFAULTS.flatMap(([patterns, source, words]) =>
  patterns.map((pattern) => ({ fits: compileGlob(pattern), source, words })),
);

export interface FoundDefault {
  readonly source: DefaultSource;
  /** As a question says it: "a web page". */
  readonly words: string;
}

/** Lists, plans and questions of the agent itself: they change nothing for anybody else. */
export function isToolOfAgent(name: string): boolean {
  return defaultSource(name).words === OF_AGENT;
}

/** What comes from outside the workspace is untrusted. */
export function defaultSource(name: string): FoundDefault {
  const found = COMPILED.find(({ fits }) => fits(name));
  return found ?? { source: UNTRUSTED, words: `the tool ${name}` };
}
