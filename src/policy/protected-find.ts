/**
 * What `find` hands on or deletes: its expression, evaluated on one file as far as its words and the disk say. A test that depends
 * on more than the name, kind, size and depth of the file may come out either way.
 */
import { compileGlob } from '../base/index.ts';

/** A file or folder, as a search meets it. */
export interface Entry {
  /** From where the search began, as it was written. */
  readonly shown: string;
  /** The same without that; empty for the start itself. */
  readonly path: string;
  /** `f`, `d` or `l`. */
  readonly kind: string;
  readonly size: number;
}

/** Bits: it may hold, it may not. */
type Truth = 0 | 1 | 2 | 3;
const TRUE: Truth = 1;
const FAILS: Truth = 2;
const EITHER: Truth = 3;

interface Walk {
  readonly entry: Entry;
  readonly met: (action: string, certain: boolean) => void;
}

type Node = (walk: Walk, certain: boolean) => Truth;

export interface FindExpression {
  /** As written; empty for the working folder. */
  readonly roots: readonly string[];
  /** Links are followed: what stands below may be anywhere. */
  readonly follows: boolean;
  /** Whether an action whose name matches may be carried out on an entry. */
  readonly reaches: (entry: Entry, action: RegExp) => boolean;
}

const START = /^-(?:[HLP]+|O\d?|D)$/;
const OPENS = /^[-(!,)]/;
const ACTION = /^-(?:delete|exec|execdir|ok|okdir|print|print0|printf|fprint|fprint0|fprintf|ls|fls)$/;
const COMMANDS = /^-(?:exec|execdir|ok|okdir)$/;
const TAKES_ONE =
  /^-(?:i?l?name|i?path|i?wholename|i?regex|type|xtype|maxdepth|mindepth|[acm](?:time|min)|used|[aBcm]?newer\w*|size|user|group|uid|gid|perm|links|inum|samefile|fstype|context|regextype|printf|fprint0?|fls|files0-from)$/;
/** They always hold. */
const OPTIONS =
  /^-(?:true|depth|d|daystart|follow|mount|xdev|x|noleaf|ignore_readdir_race|noignore_readdir_race|warn|nowarn|regextype|maxdepth|mindepth|files0-from|quit|prune)$/;

const MOST_WORDS = 1000;

/** `args` are the words behind `find`. */
export function readFindExpression(args: readonly string[]): FindExpression {
  let at = 0;
  while (at < args.length && START.test(args[at]!)) at += args[at] === '-D' ? 2 : 1;
  const first = at;
  while (at < args.length && !OPENS.test(args[at]!)) at++;
  const words = args.slice(at);
  const follows = args.slice(0, first).some((arg) => arg.includes('L')) || words.includes('-follow');
  const roots = args.slice(first, at);
  if (words.length > MOST_WORDS) return { roots, follows, reaches: () => true };
  const parser = new Parser(words, follows);
  const whole = parser.comma();
  const depthFirst = words.some((word) => word === '-delete' || word === '-depth' || word === '-d');
  const depths = ['-mindepth', '-maxdepth'].map((name) => {
    const value = Number(words[words.lastIndexOf(name) + 1]);
    return words.includes(name) && Number.isInteger(value) ? value : null;
  });
  const implied = !parser.acts;
  const reaches = (entry: Entry, action: RegExp): boolean => {
    const depth = entry.path === '' ? 0 : entry.path.split('/').length;
    if (!follows && (depth < (depths[0] ?? 0) || depth > (depths[1] ?? depth))) return false;
    if (!depthFirst && foldersAbove(entry).some((folder) => isPruned(whole, folder))) return false;
    let isMet = false;
    const truth = whole({ entry, met: (name) => (isMet ||= action.test(name)) }, true);
    return isMet || (implied && (truth & TRUE) !== 0 && action.test('-print'));
  };
  return { roots, follows, reaches };
}

function isPruned(whole: Node, entry: Entry): boolean {
  let pruned = false;
  whole({ entry, met: (name, certain) => (pruned ||= certain && name === '-prune') }, true);
  return pruned;
}

/** The start and each folder between it and the entry. */
function foldersAbove({ path, shown }: Entry): readonly Entry[] {
  const start = path === '' ? shown : shown.slice(0, shown.length - path.length);
  const parts = path.split('/').slice(0, -1);
  return ['', ...parts.map((_, i) => parts.slice(0, i + 1).join('/'))].map((above) => ({
    shown: above === '' ? start.replace(/(?<=.)\/$/, '') : start + above,
    ...{ path: above, kind: 'd', size: 4096 },
  }));
}

/** Commas, then alternatives, then what has to hold together, as the manual of `find` orders them. */
class Parser {
  /** Whether some action is named: otherwise what passes is printed. */
  acts = false;
  private at = 0;
  private readonly words: readonly string[];
  private readonly follows: boolean;

  constructor(words: readonly string[], follows: boolean) {
    this.words = words;
    this.follows = follows;
  }

  comma(): Node {
    const nodes = [this.or()];
    while (this.take(/^,$/)) nodes.push(this.or());
    return (walk, certain) => nodes.reduce<Truth>((_, node) => node(walk, certain), TRUE);
  }

  private or(): Node {
    let left = this.and();
    while (this.take(/^-(?:o|or)$/)) {
      const [one, other] = [left, this.and()];
      left = (walk, certain) => {
        const truth = one(walk, certain);
        if ((truth & FAILS) === 0) return truth;
        return ((truth & TRUE) | other(walk, certain && truth === FAILS)) as Truth;
      };
    }
    return left;
  }

  private and(): Node {
    let left = this.not();
    while (this.at < this.words.length && !/^(?:,|\)|-o|-or)$/.test(this.words[this.at]!)) {
      this.take(/^-(?:a|and)$/);
      const [one, other] = [left, this.not()];
      left = (walk, certain) => {
        const truth = one(walk, certain);
        if ((truth & TRUE) === 0) return truth;
        return ((truth & FAILS) | other(walk, certain && truth === TRUE)) as Truth;
      };
    }
    return left;
  }

  private not(): Node {
    if (this.take(/^(?:!|-not)$/)) {
      const inner = this.not();
      return (walk, certain) => NEGATED[inner(walk, certain)]!;
    }
    if (this.take(/^\($/)) {
      const inner = this.comma();
      this.take(/^\)$/);
      return inner;
    }
    return this.primary();
  }

  private primary(): Node {
    const word = this.words[this.at++] ?? '-true';
    if (COMMANDS.test(word)) {
      const end = this.words.findIndex((each, i) => i >= this.at && isEnd(each, this.words[i - 1]));
      this.at = end === -1 ? this.words.length : end + 1;
    }
    const value = TAKES_ONE.test(word) ? (this.words[this.at++] ?? '') : '';
    if (word === '-fprintf') this.at += 2;
    if (ACTION.test(word)) {
      this.acts = true;
      return ({ met }, certain) => {
        met(word, certain);
        return COMMANDS.test(word) ? EITHER : TRUE;
      };
    }
    if (word === '-prune')
      return ({ met }, certain) => {
        met(word, certain);
        return TRUE;
      };
    if (OPTIONS.test(word)) return () => TRUE;
    if (word === '-false') return () => FAILS;
    const test =
      this.follows && /^-i?(?:path|wholename|regex)$/.test(word) ? () => EITHER : testOf(word, value);
    return ({ entry }) => test(entry);
  }

  private take(word: RegExp): boolean {
    const found = word.test(this.words[this.at] ?? '');
    if (found) this.at++;
    return found;
  }
}

const NEGATED: readonly Truth[] = [0, FAILS, TRUE, EITHER];

function isEnd(word: string, before: string | undefined): boolean {
  return word === ';' || (word === '+' && before === '{}');
}

function sure(holds: boolean): Truth {
  return holds ? TRUE : FAILS;
}

const UNITS: Readonly<Record<string, number>> = {
  c: 1,
  w: 2,
  b: 512,
  '': 512,
  k: 1024,
  M: 1 << 20,
  G: 1 << 30,
};

function testOf(word: string, value: string): (entry: Entry) => Truth {
  const [, folds = '', what = ''] = /^-(i?)(name|path|wholename|regex)$/.exec(word) ?? [];
  if (what === 'regex') return (entry) => regexTruth(value, entry.shown, folds !== '');
  if (what !== '') {
    const test = globTest(value, folds !== '');
    return ({ shown }) => test(what === 'name' ? shown.slice(shown.lastIndexOf('/') + 1) : shown);
  }
  if (word === '-type') return ({ kind }) => sure(value.split(',').includes(kind));
  if (word === '-lname' || word === '-ilname') return ({ kind }) => (kind === 'l' ? EITHER : FAILS);
  if (word === '-empty')
    return ({ kind, size }) => (kind === 'd' ? EITHER : sure(kind === 'f' && size === 0));
  const [, sign = '', count = '', unit = ''] = /^([-+]?)(\d+)([cwbkMG]?)$/.exec(value) ?? [];
  if (word !== '-size' || count === '') return () => EITHER;
  return ({ size, kind }) => {
    if (kind === 'd') return EITHER;
    const blocks = Math.ceil(size / UNITS[unit]!);
    return sure(sign === '+' ? blocks > +count : sign === '-' ? blocks < +count : blocks === +count);
  };
}

/** A star of `find` also stands for a slash, and for a leading dot. What is only known when it runs may stand for anything. */
function globTest(pattern: string, folds: boolean): (text: string) => Truth {
  if (/\$[({]|\$\(\)|\[[^\]]*\[[:.=]/.test(pattern)) return () => EITHER;
  const fold = (text: string) => (folds ? text.toLowerCase() : text);
  const glob = compileGlob(fold(pattern.replace(/\\(.)/gs, '$1')));
  return (text) => sure(glob(fold(text)));
}

/** Texts that have to be there are looked for; where they are, it may match. */
function regexTruth(pattern: string, text: string, folds: boolean): Truth {
  const fold = (part: string) => (folds ? part.toLowerCase() : part);
  const ending = pattern.includes('|') ? undefined : /(?:^|\*)((?:[\w-]|\\\.)+)\$?$/.exec(pattern)?.[1];
  if (ending === undefined) return EITHER;
  return fold(text).endsWith(fold(ending.replaceAll('\\', ''))) ? EITHER : FAILS;
}
