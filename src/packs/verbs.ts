/**
 * What a tool does, by the leading verb of its name, and which words of a prompt ask for that: `verbs:` of a pack. A name that fits no class
 * has its own verb as its class.
 */
import { BoundedMap } from '../base/index.ts';
import type { WrittenVerbs } from './shape.ts';

/** The class of calls that only look. */
export const READ = 'read';
/** Of no class. */
export const OTHER = 'other';

export interface ToolVerb {
  readonly kind: string;
  readonly verb: string;
}

const MOST_NAMES = 500;
/** `find_and_replace` does what its second verb says. */
/** The class of verbs that take something away. */
const DELETE = 'delete';
const JOINING: ReadonlySet<string> = new Set(['and', 'or']);

export class Verbs {
  private readonly table: readonly (readonly [kind: string, row: Row])[];
  private readonly known = new BoundedMap<string, ToolVerb>(MOST_NAMES);
  private readonly licences = new Map<string, readonly string[]>();

  constructor(written: WrittenVerbs = {}) {
    this.table = Object.entries(written).map(([kind, { verbs, nouns = [], asked = [] }]) => [
      kind,
      { verbs: new Set(verbs), nouns: new Set(nouns), asked },
    ]);
  }

  has(kind: string): boolean {
    return kind === OTHER || this.table.some(([name]) => name === kind);
  }

  of(tool: string): ToolVerb {
    let found = this.known.get(tool);
    if (found === undefined) {
      found = this.read(wordsOf(tool));
      this.known.set(tool, found);
    }
    return found;
  }

  /** Words of a prompt of which one asks for it, with their endings. */
  licence({ kind, verb }: ToolVerb): readonly string[] {
    const key = `${kind} ${verb}`;
    let words = this.licences.get(key);
    if (words === undefined) {
      const row = this.table.find(([name]) => name === kind)?.[1];
      const stems = row === undefined ? [verb] : [verb, ...row.verbs, ...row.nouns, ...row.asked];
      words = [...new Set(stems.flatMap(withEndings))];
      if (this.licences.size < MOST_NAMES) this.licences.set(key, words);
    }
    return words;
  }

  private read(words: readonly string[]): ToolVerb {
    const verb = this.leading(words);
    const isNoun = (nouns: ReadonlySet<string>) =>
      words.some((word) => nouns.has(word) || nouns.has(word.replace(/s$/, '')));
    // Nouns of reads say only which of its verbs may be no verb: nothing is a read because of what it is done to.
    const row = this.table.find(
      ([kind, { verbs, nouns }]) => verbs.has(verb) || (kind !== READ && isNoun(nouns)),
    );
    return { kind: row?.[0] ?? OTHER, verb };
  }

  private takesAway(word: string): boolean {
    return this.table.some(([kind, { verbs }]) => kind === DELETE && verbs.has(word));
  }

  /**
   * The first word that is a verb and, unless it only looks, no noun. One that only looks gives way to a later one that does not, unless
   * it stands first: there it may be a noun only before a verb at the end, as in `list_create`. A word at the end that takes something
   * away is the verb, whatever the words before it may also mean: `schedule_purge`.
   */
  private leading(words: readonly string[]): string {
    const isVerb = (word: string) => this.table.some(([, { verbs }]) => verbs.has(word));
    const isNoun = (word: string) => this.table.some(([, { nouns }]) => nouns.has(word));
    const looks = (word: string) => this.table.some(([kind, { verbs }]) => kind === READ && verbs.has(word));
    const last = words.at(-1) ?? '';
    if (this.takesAway(last) && !looks(words[0]!)) return last;
    const changes = (word: string) => isVerb(word) && !looks(word) && !isNoun(word);
    const at = words.findIndex((word) => looks(word) || changes(word));
    const verb = words[at];
    if (verb === undefined) return words.find(isVerb) ?? words[0] ?? '';
    if (!looks(verb)) return verb;
    const later = words.slice(at + 1).find(changes);
    if (at > 0 || JOINING.has(words[1] ?? '')) return later ?? verb;
    return isNoun(verb) && later !== undefined && later === words.at(-1) ? later : verb;
  }
}

interface Row {
  readonly verbs: ReadonlySet<string>;
  readonly nouns: ReadonlySet<string>;
  readonly asked: readonly string[];
}

/** Behind the name of the server. */
function wordsOf(tool: string): string[] {
  return tool
    .slice(tool.lastIndexOf('__') + 1)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

function withEndings(word: string): string[] {
  if (!/^[a-z]{2,}$/.test(word)) return [word];
  const stem = word.replace(/e$/, '');
  const double = /[^aeiou][aeiou][bdgklmnprt]$/.test(word) ? `${word}${word.at(-1)}` : stem;
  const plural = /(?:s|x|ch|sh)$/.test(word)
    ? `${word}es`
    : word.endsWith('y')
      ? word.replace(/y$/, 'ies')
      : `${word}s`;
  const past = word.endsWith('y') ? word.replace(/y$/, 'ied') : `${double}ed`;
  return [word, plural, past, `${stem}ed`, `${double}ing`, `${stem}ing`];
}
