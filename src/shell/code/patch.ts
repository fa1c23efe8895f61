/**
 * The files that a patch changes, by its text: unified, context and git's own form, the form that agents write, and mails with
 * one in them. It names rather too many: whatever a program that applies it may take for the name of a file.
 */

/** How the program takes names: so many folders are left out, as given with -p; null if it was not. */
export interface PatchForm {
  readonly strip: number | null;
  /** `patch` also takes what is indented, and without -p a file by the last part of its name. */
  readonly loose: boolean;
}

export interface PatchNames {
  readonly paths: ReadonlySet<string>;
  /** False: it may change more, which its text does not show. */
  readonly whole: boolean;
}

/** What stands before a name; behind blanks and marks of quoting only `patch` takes it. */
const HEAD =
  /^((?:[ \tX]|- )*)(?:\+\+\+|---|\*\*\*( (?:(?:Add|Update|Delete) File|Move to):)?|(?:rename|copy) (?:from|to)|Index:|diff --git) +(\S.*)$/gm;
/** Mails in letters of another kind, and lists of patches that stand in other files. */
const UNSEEN =
  /^content-transfer-encoding:(?![ \t]*(?:7bit|8bit|binary|quoted-printable)\b)|\bcharset="?(?!(?:utf-8|us-ascii|ascii|iso-8859-\d+|windows-125\d)\b)|^# This series applies on GIT commit/im;
const QUOTED_PRINTABLE = /^content-transfer-encoding:[ \t]*quoted-printable/im;

export function patchNames(text: string, { strip, loose }: PatchForm): PatchNames {
  const texts = QUOTED_PRINTABLE.test(text) ? [text, printable(text)] : [text];
  const names = new Set<string>();
  /** The form that agents write has whole names: nothing is left out of them, except by `patch`, which takes them for others. */
  const exact = new Set<string>();
  for (const each of texts) {
    for (const [, indent, agents, head = ''] of each.matchAll(HEAD)) {
      if (!loose && indent !== '') continue;
      if (agents !== undefined && !loose) exact.add(head.trimEnd());
      else for (const name of namesIn(head.trimEnd())) names.add(name);
    }
  }
  return { paths: new Set([...exact, ...stripped(names, strip, loose)]), whole: !UNSEEN.test(text) };
}

function printable(text: string): string {
  return text
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/(?:=[0-9a-f]{2})+/gi, (run) => bytes(run.slice(1).split('='), 16));
}

function bytes(numbers: readonly string[], base: number): string {
  return new TextDecoder().decode(Uint8Array.from(numbers, (number) => Number.parseInt(number, base)));
}

const C_STRING = /"(?:[^"\\]|\\.)*"/g;

/** One name, up to a tab, or up to a blank and a date; or the two of `diff --git`, which are alike if nothing else names them. */
function namesIn(head: string): readonly string[] {
  const quoted = head.match(C_STRING);
  if (quoted !== null) return [...quoted.map(unquoted), ...head.replace(C_STRING, ' ').trim().split(/\s+/)];
  const [name = ''] = head.split('\t');
  const half = (name.length - 1) / 2;
  const [left, right] = [name.slice(0, half), name.slice(half + 1)];
  if (name[half] === ' ' && left.slice(left.indexOf('/')) === right.slice(right.indexOf('/')))
    return [left, right];
  return head.includes('\t') ? [name] : [name, ...name.split(' ', 2)];
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** As git writes names with unusual signs: `"a/\056x"`. */
function unquoted(text: string): string {
  return text
    .slice(1, -1)
    .replace(/(?:\\[0-7]{1,3})+|\\(.)/g, (run, sign?: string) =>
      sign === undefined ? bytes(run.slice(1).split('\\'), 8) : (ESCAPES[sign] ?? sign),
    );
}

/** `rename to` has no `a/` before the name, where other lines have: one folder less is always looked at too. */
function stripped(names: Iterable<string>, strip: number | null, loose: boolean): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const name of names) {
    if (name === '' || name === '/dev/null') continue;
    const parts = name.split(/\/+/);
    for (const n of [0, 1, strip ?? 1, (strip ?? 1) - 1]) {
      if (n >= 0 && n < parts.length) paths.add(parts.slice(n).join('/'));
    }
    if (loose && strip === null) paths.add(parts.at(-1)!);
  }
  return paths;
}
