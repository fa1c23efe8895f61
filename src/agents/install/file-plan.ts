/**
 * What becomes of one file when something is installed in it or taken out, and what must be kept to undo it. Several
 * installations may share a file (one table of trust for many projects): each goes alone, and the last one leaves the file as
 * it was, to the byte, unless somebody edited it in between. Then only what is ours goes. Pure.
 */
import { digestOf } from '../../base/index.ts';
import { jsonAt } from './json-edit.ts';
import { countMarked, isSatisfied, makeAll, type Operation, sweep, unmakeAll } from './operation.ts';
import { type Edited, type Refused, type Splice, unsplice } from './splice.ts';

/** One installation: `claude-code --dir /home/me/project`. */
export interface Owner {
  readonly owner: string;
  readonly operations: readonly Operation[];
  /** When it was first installed, in milliseconds; records of versions before do not have it. */
  readonly since?: number;
}

/** A text that we wrote, and the way back. */
interface Written {
  readonly after: string;
  /** Null if there was no file. */
  readonly before: string | null;
  readonly splices: readonly Splice[];
}

export interface FileRecord {
  readonly version: 1;
  readonly file: string;
  /** There was no file, and these folders were not there either; the outermost first. */
  readonly created: boolean;
  readonly folders: readonly string[];
  readonly owners: readonly Owner[];
  /** Newest first. The one before is kept too: a crash may have left the file as it was. */
  readonly written: readonly Written[];
}

export interface FilePlan {
  /** Null: there is to be no file. */
  readonly text: string | null;
  /** Null: nothing needs to be kept. */
  readonly record: FileRecord | null;
  /** It was edited since: what was left of ours is gone, the rest is as it was found. */
  readonly edited: boolean;
}

export interface PlannedFile {
  readonly file: string;
  readonly agent: string;
  readonly owner: string;
  /** The time now. */
  readonly now?: number;
  /** Empty to uninstall. */
  readonly operations: readonly Operation[];
  /** What may be there of ours, for a record that is lost. */
  readonly leftovers?: readonly Operation[];
  /** Lists of entries stand below this key: `hooks`. */
  readonly container: readonly string[] | null;
}

export function planFile(
  current: string | null,
  record: FileRecord | null,
  wish: PlannedFile,
): FilePlan | Refused {
  const others = (record?.owners ?? []).filter(({ owner }) => owner !== wish.owner);
  const since = record?.owners.find(({ owner }) => owner === wish.owner)?.since ?? wish.now;
  const mine: readonly Owner[] = wish.operations.length === 0 ? [] : [ownerNow(wish, wish.operations, since)];
  const owners = [...others, ...mine];
  const base = exactBase(current, record);
  if (base !== undefined) return build(base, owners, wish, record, false);
  if (mine.length > 0 && current !== null && isClean(current, wish)) {
    return { text: current, record: record ?? foundRecord(wish), edited: false };
  }
  const known = record?.owners.find(({ owner }) => owner === wish.owner)?.operations ?? [];
  const stripped = current === null ? null : strip(current, wish, known);
  if (typeof stripped === 'object' && stripped !== null) return stripped;
  const isOurs = stripped === '' && wish.operations.some(({ kind }) => kind === 'whole');
  if (mine.length > 0) return build(isOurs ? null : stripped, mine, wish, record, record !== null, others);
  const ours = record?.created === true || wish.leftovers?.some(({ kind }) => kind === 'whole') === true;
  const left = stripped !== null && ours && isNothing(stripped, known) ? null : stripped;
  const kept = others.length === 0 || record === null ? null : { ...record, owners: others, written: [] };
  return { text: left, record: kept, edited: current !== left };
}

function ownerNow(
  { owner }: PlannedFile,
  operations: readonly Operation[],
  since: number | undefined,
): Owner {
  return { owner, operations, ...(since !== undefined && { since }) };
}

/** What may have been the user's before: nothing in it tells that it is ours. */
const UNMARKED: readonly Operation['kind'][] = ['member', 'value', 'toml-values'];

/** A file that came with a checkout: that its entries are used here is on record all the same. */
function foundRecord(wish: PlannedFile): FileRecord | null {
  const { file, operations, now } = wish;
  const ours = operations.filter(({ kind }) => !UNMARKED.includes(kind));
  if (ours.length === 0) return null;
  return {
    version: 1,
    file,
    created: false,
    folders: [],
    owners: [ownerNow(wish, ours, now)],
    written: [],
  };
}

/** The text without anything of ours, if the file is as we left it; undefined if it is not, or nothing is known. */
function exactBase(current: string | null, record: FileRecord | null): string | null | undefined {
  if (record === null) return undefined;
  const digest = current === null ? null : digestOf(current);
  for (const { after, before, splices } of record.written) {
    if (digest === before) return current;
    if (current === null || digest !== after) continue;
    const base = unsplice(current, splices);
    if (base === null) continue;
    if (before === null && base === '') return null;
    if (digestOf(base) === before) return base;
  }
  return undefined;
}

function build(
  base: string | null,
  owners: readonly Owner[],
  wish: PlannedFile,
  record: FileRecord | null,
  edited: boolean,
  others: readonly Owner[] = [],
): FilePlan | Refused {
  if (owners.length === 0) return { text: base, record: null, edited };
  const made: Edited | Refused = makeAll(
    base ?? '',
    owners.flatMap(({ operations }) => operations),
  );
  if ('refused' in made) return made;
  const written: Written = {
    after: digestOf(made.text),
    before: base === null ? null : digestOf(base),
    splices: made.splices,
  };
  const created = record?.created ?? base === null;
  const earlier = (record?.written ?? []).filter(({ after }) => after !== written.after);
  return {
    text: made.text,
    edited,
    record: {
      version: 1,
      file: wish.file,
      created,
      folders: record?.folders ?? [],
      owners: [...others, ...owners],
      // With other installations in the text, the way back is not all the way.
      written: others.length > 0 ? [] : [written, ...earlier.slice(0, 1)],
    },
  };
}

/** All that is wanted is there, and no other entry of ours. */
function isClean(text: string, { operations, container, agent }: PlannedFile): boolean {
  const entries = operations.filter(({ kind }) => kind === 'entry').length;
  return (
    isSatisfied(text, operations) && (container === null || countMarked(text, container, agent) === entries)
  );
}

function strip(text: string, wish: PlannedFile, known: readonly Operation[]): string | Refused {
  const rest = unmakeAll(
    text,
    known.length > 0 ? known : (wish.leftovers ?? wish.operations),
    known.length > 0,
  );
  if (typeof rest !== 'string' || wish.container === null) return rest;
  return sweep(rest, wish.container, wish.agent);
}

/** Nothing is left but what the format demands. */
function isNothing(text: string, known: readonly Operation[]): boolean {
  if (text.trim() === '') return true;
  const data = jsonAt(text, []);
  if (typeof data !== 'object' || data === null) return false;
  const defaults = known.flatMap((operation) => (operation.kind === 'default' ? [operation.path[0]] : []));
  return Object.keys(data).every((key) => defaults.includes(key));
}
