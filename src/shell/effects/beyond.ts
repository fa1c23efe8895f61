/**
 * The effects that a row states beyond its operands, in the notation
 * `KIND [VERB] [of RESOURCE] [on OBJECT] [if CONDITION] [unless CONDITION]`.
 *
 * - `of` names the kind of thing: `remote delete of containers`.
 * - OBJECT is an option whose value it is, `on --name`, or `nothing`; the operands if it is not given.
 * - A CONDITION is words of which one must hold, and several such lists with `and` between. `-f` and `--force`: the option is
 *   given; `-a=no*`: with such a value; `=+*`: an operand like this; `^*:*`: the last one; `~-c*`: any argument like this;
 *   `>s3+rm`: the operands begin so; `#2`: at least two operands; `#<1`: none; `named-files`: they are a few files by name;
 *   `device`: one names a disk; `elevated`; `unknown`: a word is only known when it runs; `!-f`: not that. There may be several
 *   `unless`.
 */
import type { SubRow, WrittenEffect } from '../programs/notation.ts';
import { operandsLike, optionLike, wordLike } from '../programs/words-like.ts';
import type { Command } from '../reading.ts';
import { type EffectKind, KINDS } from './effect.ts';
import { isDisk } from './zones.ts';

/** What a condition looks at. */
export interface Situation {
  readonly command: Command;
  /** Behind the sub-command. */
  readonly operands: readonly string[];
}

type Condition = (situation: Situation) => boolean;

export interface StatedEffect {
  readonly kind: EffectKind;
  readonly verb: string;
  readonly resource: string;
  readonly object: string | null;
  readonly holds: Condition;
}

const WRITTEN =
  /^(?<kind>[a-z]+)(?: (?<verb>(?!if |unless |on |of )[a-z-]+))?(?: of (?<resource>[a-z-]+))?(?: on (?<object>\S+))?(?: if (?<given>.+?))?(?<not>(?: unless .+)?)$/;
const READ = new WeakMap<SubRow, readonly StatedEffect[]>();
const NONE: readonly StatedEffect[] = [];

export function statedEffectsOf(row: SubRow): readonly StatedEffect[] {
  if (row.effects === undefined) return NONE;
  let found = READ.get(row);
  if (found === undefined) {
    found = [row.effects].flat().map(readEffect);
    READ.set(row, found);
  }
  return found;
}

const EXCEPTED = new Map<string, Condition>();

/** Whether a row says that its effects do not count here. */
export function isExcepted({ unless }: SubRow, situation: Situation): boolean {
  if (unless === undefined) return false;
  let condition = EXCEPTED.get(unless);
  if (condition === undefined) EXCEPTED.set(unless, (condition = readCondition(unless)));
  return condition(situation);
}

/** Throws for what is not in the notation: rows are checked by a test. */
export function readEffect(written: WrittenEffect): StatedEffect {
  const groups = WRITTEN.exec(written.replace(/\s+/g, ' '))?.groups;
  const kind = KINDS.find((each) => each === groups?.kind);
  if (groups === undefined || kind === undefined) throw new Error(`not an effect: ${written}`);
  const given = groups.given === undefined ? null : readCondition(groups.given);
  const not = groups.not!.split(' unless ').slice(1).map(readCondition);
  return {
    kind,
    verb: groups.verb ?? '',
    resource: groups.resource ?? '',
    object: groups.object ?? null,
    holds: (situation) => (given === null || given(situation)) && !not.some((each) => each(situation)),
  };
}

/** `a b and c`: one of the first two, and c. */
export function readCondition(text: string): Condition {
  const lists = text.split(' and ').map((list) => list.trim().split(/\s+/).map(readWord));
  return (situation) => lists.every((words) => words.some((word) => word(situation)));
}

function readWord(word: string): Condition {
  if (word.startsWith('!')) {
    const test = readWord(word.slice(1));
    return (situation) => !test(situation);
  }
  const fact = FACTS[word];
  if (fact !== undefined) return fact;
  if (word.startsWith('#<')) return ({ operands }) => operands.length < Number(word.slice(2));
  if (word.startsWith('#')) return ({ operands }) => operands.length >= Number(word.slice(1));
  if (word.startsWith('=')) {
    const like = wordLike(word.slice(1));
    return ({ command }) => command.operands.some(like);
  }
  if (word.startsWith('^')) {
    const like = wordLike(word.slice(1));
    return ({ operands }) => operands.length > 0 && like(operands.at(-1)!);
  }
  if (word.startsWith('~')) {
    const like = wordLike(word.slice(1));
    return ({ command }) => command.args.some(like);
  }
  if (word.startsWith('>')) {
    const like = operandsLike(word.slice(1).replaceAll('+', ' '));
    return ({ command }) => like(command.operands);
  }
  const equals = word.indexOf('=');
  if (equals !== -1) {
    const like = optionLike(word.slice(0, equals), wordLike(word.slice(equals + 1)));
    return ({ command }) => like(command.args, command);
  }
  return ({ command }) => command.has(word) || command.args.includes(word);
}

const FACTS: Readonly<Record<string, Condition>> = {
  'named-files': ({ operands }) => areNamedFiles(operands),
  device: ({ command }) => command.args.some((arg) => isDisk(arg.replace(/^[\w-]+=/, ''))),
  elevated: ({ command }) => command.elevated,
  unknown: ({ command }) => command.dynamic,
};

const MOST_NAMED = 3;
/** A name with an ending, or one of those that everybody knows without; no pattern, no folder. */
const FILE_NAME =
  /^(?:[^*?[\]{}$:]*\/)?(?:[^/*?[\]{}$:]*\.[a-z]\w{0,9}|Makefile|Dockerfile|LICENSE|README|CHANGELOG)$/i;

/** A few files, each by its name; a commit may stand before them. */
function areNamedFiles(operands: readonly string[]): boolean {
  const files = operands.length > 1 && !FILE_NAME.test(operands[0]!) ? operands.slice(1) : operands;
  return files.length > 0 && files.length <= MOST_NAMED && files.every((file) => FILE_NAME.test(file));
}
