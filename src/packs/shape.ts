/**
 * Every key of a pack of rules. Reading, the JSON Schema for editors and the reference page are made from it.
 */
import {
  dict,
  either,
  flag,
  integer,
  type JsonObject,
  list,
  mapOf,
  oneOf,
  optional,
  strictMap,
  type TypeOf,
  text,
  texts,
} from '../base/index.ts';

import { CERTAINTIES, KINDS, ORIGINS, ZONE_NAMES } from '../shell/index.ts';

const nonBlankText = (doc: string) => text(doc, { blank: false });
const some = (doc: string) => optional(either(doc, nonBlankText(''), list('', nonBlankText(''))));
const yes = (doc: string) => optional(flag(doc));

const oneOrMore = (doc: string, words: readonly string[]) =>
  optional(either(doc, oneOf('', words), list('', oneOf('', words))));

/** One effect of a command; all keys speak of the same one. */
const EFFECT = strictMap('It has an effect like this: all keys speak of one effect.', {
  kind: either('What it does.', oneOf('', KINDS), list('', oneOf('', KINDS))),
  verb: some('What of its kind: `erase`, `install`, `drop`.'),
  of: some('The kind of thing it is done to: `containers`, `queues`.'),
  zone: oneOrMore(
    'One of its paths stands in such a zone, or below it: `home` covers `home.credentials`.',
    ZONE_NAMES,
  ),
  recursive: yes('It is done to everything below as well.'),
  from: oneOrMore('Of `run`: where the text comes from.', ORIGINS),
  certainty: oneOrMore('How sure it is; any if not given.', CERTAINTIES),
});

/** What of a call has to come from the user or a trusted source, or has to be asked for. */
const SINK = strictMap(
  'What of a call comes from where it may not. With `verbs` or `tool` the call of a tool; without, a command for which the other keys of the condition hold.',
  {
    of: oneOf(
      '`authority`: who receives, where it goes, what is destroyed: whatever is not content. `content`: links, addresses and accounts in it. `confidential`: what carries a label. `link`: one on a foreign host that carries what no source has. `intent`: no prompt asks for the call. `amount`: the prompts name only smaller ones.',
      ['authority', 'content', 'confidential', 'link', 'intent', 'amount'],
    ),
    what: nonBlankText('What the arguments are, in a question: `recipient`.'),
    verbs: some('Classes of verbs of the pack; the verb is the leading one of the name of the tool.'),
    not_verbs: some('Every class but these; `other` is a verb of no class.'),
    tool: some('The name of the tool.'),
    args: some(
      'The arguments that are content, in small letters without signs: `*text*`. Of `confidential`: those that name readers. Of `amount`: those that say how much.',
    ),
    data: optional(
      oneOf('Of `authority`, what only is entered: the cells of a `table`, or these and plain `words` too.', [
        'table',
        'words',
      ]),
    ),
    exact: some(
      'Of `authority`: arguments whose numbers some source has to name; of others the agent may say its own.',
    ),
    deciding: some('With `data: words`: the arguments whose words decide all the same.'),
    as: optional(
      nonBlankText('Of `intent`: the class of verbs that a prompt has to ask for; absent: that of the tool.'),
    ),
  },
);
export type WrittenSink = TypeOf<typeof SINK>;

/** What holds for one command, or for a tool that is offered. Several keys: all of them; several words of a key: one of them. */
export const CONDITION = strictMap('What holds for one command: all keys together, one word of each list.', {
  program: optional(
    either(
      'The program, without its folder; empty for assignments and redirections alone. `*` is any run of characters.',
      text(''),
      list('', text('')),
    ),
  ),
  effect: optional(EFFECT),
  path: some('The program as it is written: `./*`, `/tmp/*`.'),
  sub: some(
    'The first operands, behind global options: `push`, `stash drop`, `* delete`, `** delete` anywhere.',
  ),
  flags: some('One of these options is given, `-f` also in `-rf`.'),
  without: some('None of these options is given.'),
  option: optional(
    mapOf(
      'One of these options, with a value like this: `--acl: public-*`.',
      either('', nonBlankText(''), list('', nonBlankText(''))),
    ),
  ),
  arg: some('One argument is like this.'),
  operand: some('One operand, which is no option, is like this.'),
  operands_min: optional(integer('The smallest number of operands.', { min: 0, max: 1000 })),
  operands_max: optional(integer('The largest number of operands.', { min: 0, max: 1000 })),
  line: some('RE2 patterns over the arguments with blanks between.'),
  text: some('RE2 patterns over the command as written.'),
  whole: some('RE2 patterns over the whole text it stands in.'),
  reads: some('It may read such a path: a set (`@secret`) or a pattern.'),
  writes: some('It may write such a path.'),
  deletes: some('It may delete such a path.'),
  deletes_besides: some('It may delete a path that is none of these.'),
  mentions: some('Some word or its code names such a path, whatever it does with it.'),
  elevated: yes('It runs with more rights: sudo, doas, su.'),
  remote: yes('It runs elsewhere: ssh, docker exec.'),
  runs_stdin: yes('It runs what it reads from its input.'),
  dynamic: yes('A word of it is only known when it runs.'),
  dynamic_program: yes('Which program it is is only known when it runs.'),
  background: yes('It runs in the background.'),
  feeds: yes('Another command reads its output.'),
  input_known: yes('What it reads from its input is known, and so has been judged.'),
  endless: yes('It stands in a loop that has no end, or one too far away.'),
  recursive: yes('It is a function that calls itself.'),
  wrapper: yes('It only starts other commands.'),
  via: some('It is started through one of these: `sudo`, `find`, `xargs`.'),
  fed_by: optional(dict('A command whose output reaches it holds this condition.')),
  reads_from: optional(dict('A command before it writes a file that it reads, and holds this condition.')),
  beside: optional(dict('Another command of the same text holds this condition.')),
  finds_only: some('It searches for such names only, or is started for what such a search finds.'),
  redirect: some('One redirection is written with this sign: `>>`.'),
  code: some('RE2 patterns over the code it is given: `python -c`, SQL.'),
  language: some('The language of that code.'),
  input_from: some('Where its input is from: pipe, file, text, inherited.'),
  input: some('RE2 patterns over the text on its input.'),
  assigns: optional(mapOf('One of these variables is set for it: name to value, both with `*`.', text(''))),
  says: some(
    'RE2 patterns over all texts in the definition of a tool that a server or an agent offers. A rule with it looks at no command.',
  ),
  flow: optional(SINK),
  unread: some('The text could not be read, for one of these reasons.'),
  all: optional(list('All of these hold.', dict(''))),
  any: optional(list('One of these holds.', dict(''))),
  not: optional(either('This does not hold, or none of these.', dict(''), list('', dict('')))),
});

export type WrittenCondition = TypeOf<typeof CONDITION>;
export type WrittenEffectTest = TypeOf<typeof EFFECT>;

export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

const RULE = strictMap('One rule.', {
  id: nonBlankText('Its name in the pack: small letters and dashes.'),
  severity: optional(oneOf('How bad it is if it happens.', SEVERITIES), 'high'),
  action: optional(oneOf('What enforce does: stop it, or ask a person.', ['block', 'ask']), 'block'),
  match: either('The condition; of several, one holds.', dict(''), list('', dict(''))),
  reason: nonBlankText('What is wrong with it, as the end of "it is stopped because …".'),
  instead: optional(text('A safer way. Commands in backticks must pass every rule that is in force.')),
  even_dry: optional(flag('It looks at commands with `--help` and `--dry-run` too.'), 'false'),
  examples: strictMap(
    'Commands, or texts of definitions, that show what it is about; `validate` tries them.',
    {
      stops: list('It must match these.', nonBlankText('')),
      passes: list('It must not match these.', nonBlankText('')),
    },
  ),
});

const VERBS = mapOf(
  'Classes of what tools do, for rules with `flow`. The first that has the leading verb or a noun of a name counts; `read` is what only looks.',
  strictMap('', {
    verbs: texts('Leading verbs of names of tools.'),
    nouns: optional(texts('Nouns in such a name: `send_money` pays.')),
    asked: optional(texts('Further words of a prompt that ask for it.')),
  }),
);
export type WrittenVerbs = TypeOf<typeof VERBS>;

export const PACK_FILE = strictMap('A pack of rules.', {
  pack: nonBlankText('Its name.'),
  version: integer('Counted up when a rule changes.', { min: 1, max: 1_000_000 }),
  description: nonBlankText('What it guards.'),
  lists: optional(mapOf('Words by name; `$name` stands for them in a rule.', texts(''))),
  verbs: optional(VERBS),
  rules: list('Its rules.', RULE),
});

type RuleInFile = TypeOf<typeof RULE>;
type PackInFile = TypeOf<typeof PACK_FILE>;

/** A rule with what a file may leave out. */
export interface WrittenRule extends RuleInFile {
  readonly severity: (typeof SEVERITIES)[number];
  readonly action: 'block' | 'ask';
  readonly match: JsonObject;
}

export interface WrittenPack extends PackInFile {
  readonly rules: readonly WrittenRule[];
}

/** A pack as its file has it, which was checked by the shape. */
export function completePack(data: unknown): WrittenPack {
  const pack = data as PackInFile;
  return { ...pack, rules: pack.rules.map(completeRule) };
}

function completeRule({ match, ...rule }: RuleInFile): WrittenRule {
  const condition = Array.isArray(match) ? { any: match } : match;
  return { severity: 'high', action: 'block', ...rule, match: condition as JsonObject };
}

const PATH_SET = strictMap('', {
  paths: list('Patterns.', nonBlankText('')),
  except: optional(list('Patterns of what does not belong to it.', nonBlankText(''))),
});

/** What rules of every pack may name. */
export const SHARED_FILE = strictMap('Lists and sets of paths that every pack may name.', {
  lists: mapOf('Words by name.', texts('')),
  paths: mapOf('Paths by name; `@name` stands for them in a rule.', PATH_SET),
});

export type WrittenShared = TypeOf<typeof SHARED_FILE>;
