/**
 * Editing a text of one line or several as in a shell, as functions over data: each key makes of the text and the cursor in it
 * another text and cursor. What needs the world (sending it, stopping) is left to the caller.
 */
import { glyphs } from '../timeline/width.ts';

export interface Edit {
  readonly text: string;
  /** Where the next character goes, in code units. */
  readonly cursor: number;
  /** What was cut last. */
  readonly cut: string;
  /** Texts of before, the newest last, and which of them is shown; `draft` is what was typed before looking at them. */
  readonly past: readonly string[];
  readonly at: number;
  readonly draft: string;
  /** What is looked for among them; null if nothing is. */
  readonly search: { readonly query: string; readonly before: Edit } | null;
}

export function newEdit(past: readonly string[] = []): Edit {
  return { text: '', cursor: 0, cut: '', past, at: past.length, draft: '', search: null };
}

/** A key as `node:readline` names it. */
export interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
  readonly sequence?: string;
}

/** `ctrl+a`, `meta+left`, `up`. */
export function keyName({ name, ctrl, meta, sequence = '' }: Key): string {
  if (SHIFT_ENTER.has(sequence)) return 'newline';
  return `${ctrl === true ? 'ctrl+' : ''}${meta === true ? 'meta+' : ''}${name ?? ''}`;
}

/** As terminals tell it that tell it at all. */
const SHIFT_ENTER: ReadonlySet<string> = new Set(['\u001b[13;2u', '\u001b[27;2;13~', '\u001bOM']);

type Change = (edit: Edit) => Edit;

export function insert(edit: Edit, piece: string): Edit {
  if (edit.search !== null)
    return find({ ...edit.search, query: edit.search.query + piece }, edit.past.length);
  const { text, cursor } = edit;
  return { ...edit, text: text.slice(0, cursor) + piece + text.slice(cursor), cursor: cursor + piece.length };
}

/** A text that stands there whole, with the cursor behind it. */
export function replaced(edit: Edit, text: string): Edit {
  return { ...edit, text, cursor: text.length };
}

const go =
  (to: (edit: Edit) => number): Change =>
  (edit) => ({ ...edit, cursor: to(edit) });

/** Takes out what lies between the cursor and a place; `keep` puts it where Ctrl-Y finds it. */
const take =
  (to: (edit: Edit) => number, keep: boolean): Change =>
  (edit) => {
    const [from, until] = [edit.cursor, to(edit)].sort((a, b) => a - b) as [number, number];
    const gone = edit.text.slice(from, until);
    return {
      ...edit,
      text: edit.text.slice(0, from) + edit.text.slice(until),
      cursor: from,
      cut: keep && gone !== '' ? gone : edit.cut,
    };
  };

const left = ({ text, cursor }: Edit) => cursor - (glyphs(text.slice(0, cursor)).at(-1)?.text.length ?? 0);
const right = ({ text, cursor }: Edit) => cursor + (glyphs(text.slice(cursor))[0]?.text.length ?? 0);
const lineStart = ({ text, cursor }: Edit) => text.lastIndexOf('\n', cursor - 1) + 1;
const lineEnd = ({ text, cursor }: Edit) => {
  const at = text.indexOf('\n', cursor);
  return at === -1 ? text.length : at;
};
const wordLeft = ({ text, cursor }: Edit) =>
  cursor - /[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(text.slice(0, cursor))![0].length;
const wordRight = ({ text, cursor }: Edit) =>
  cursor + /^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))![0].length;
/** As Ctrl-W counts them: a word is what has no blank in it. */
const blankLeft = ({ text, cursor }: Edit) => cursor - /\S*\s*$/.exec(text.slice(0, cursor))![0].length;

/** Up and down: within the text while there is a line to go to, otherwise among the texts of before. */
const vertical =
  (step: -1 | 1): Change =>
  (edit) => {
    const start = lineStart(edit);
    const column = edit.cursor - start;
    if (step === -1 && start > 0) {
      const above = lineStart({ ...edit, cursor: start - 1 });
      return { ...edit, cursor: Math.min(above + column, start - 1) };
    }
    const end = lineEnd(edit);
    if (step === 1 && end < edit.text.length) {
      return { ...edit, cursor: Math.min(end + 1 + column, lineEnd({ ...edit, cursor: end + 1 })) };
    }
    return among(step)(edit);
  };

const among =
  (step: -1 | 1): Change =>
  (edit) => {
    const at = edit.at + step;
    if (at < 0 || at > edit.past.length) return edit;
    const draft = edit.at === edit.past.length ? edit.text : edit.draft;
    return replaced({ ...edit, at, draft }, edit.past[at] ?? draft);
  };

/** The newest text older than `below` that holds what is looked for; the one shown stays where there is none. */
function find(search: NonNullable<Edit['search']>, below: number): Edit {
  const { before, query } = search;
  const at = query === '' ? -1 : before.past.slice(0, below).findLastIndex((text) => text.includes(query));
  if (at === -1) return { ...before, search };
  const text = before.past[at]!;
  return { ...before, at, draft: before.text, text, cursor: text.indexOf(query), search };
}

const lookBack: Change = (edit) => {
  if (edit.search === null) return { ...edit, search: { query: '', before: edit } };
  const older = find(edit.search, edit.at);
  return older.text === edit.search.before.text ? edit : older;
};

const KEYS: Readonly<Record<string, Change>> = {
  left: go(left),
  'ctrl+b': go(left),
  right: go(right),
  'ctrl+f': go(right),
  home: go(lineStart),
  'ctrl+a': go(lineStart),
  end: go(lineEnd),
  'ctrl+e': go(lineEnd),
  'meta+b': go(wordLeft),
  'ctrl+left': go(wordLeft),
  'meta+left': go(wordLeft),
  'meta+f': go(wordRight),
  'ctrl+right': go(wordRight),
  'meta+right': go(wordRight),
  up: vertical(-1),
  down: vertical(1),
  'ctrl+p': among(-1),
  'ctrl+n': among(1),
  backspace: take(left, false),
  'ctrl+h': take(left, false),
  delete: take(right, false),
  'ctrl+d': take(right, false),
  'ctrl+w': take(blankLeft, true),
  'meta+backspace': take(wordLeft, true),
  'meta+d': take(wordRight, true),
  'ctrl+u': take(lineStart, true),
  'ctrl+k': take(lineEnd, true),
  'ctrl+y': (edit) => insert(edit, edit.cut),
  // Ctrl-J, Alt-Enter and, where the terminal tells it apart, Shift-Enter.
  enter: (edit) => insert(edit, '\n'),
  newline: (edit) => insert(edit, '\n'),
  'meta+return': (edit) => insert(edit, '\n'),
  'meta+enter': (edit) => insert(edit, '\n'),
  'ctrl+r': lookBack,
};

/** The text after a key; null if the key means nothing here. */
export function pressed(edit: Edit, key: Key): Edit | null {
  const name = keyName(key);
  const { search } = edit;
  if (search !== null && name !== 'ctrl+r') {
    if (name === 'backspace') return find({ ...search, query: search.query.slice(0, -1) }, edit.past.length);
    if (name === 'escape' || name === 'ctrl+g') return search.before;
    if (isText(key)) return insert(edit, key.sequence!);
    // Any other key goes on with what was found.
    return pressed({ ...edit, search: null }, key) ?? { ...edit, search: null };
  }
  if (Object.hasOwn(KEYS, name)) return KEYS[name]!(edit);
  return isText(key) ? insert(edit, key.sequence!) : null;
}

function isText({ sequence = '', ctrl, meta }: Key): boolean {
  return ctrl !== true && meta !== true && sequence !== '' && !/[\u0000-\u001f\u007f]/.test(sequence);
}
