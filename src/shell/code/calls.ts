/**
 * Commands that code of other languages starts: `os.system("…")`, `subprocess.run([…])`, `system(…)`, backticks. Found by the
 * names of the calls; an argument that is no literal is a command nobody knows.
 */

import { isComment, isOnlyText } from './code-paths.ts';
import { type Span, textSpansIn } from './spoken.ts';

export type Call =
  | { readonly kind: 'text'; readonly text: string; readonly known: boolean }
  /** Null for a word that is not known; no words at all if nothing is. */
  | { readonly kind: 'words'; readonly words: readonly (string | null)[] };

const MOST_CALLS = 64;

/** What stands before the argument, by language. */
const CALLS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries<RegExp>({
    python:
      /[\w)]\.(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?|check_call|check_output|Popen|getoutput|getstatusoutput)\s*\(|\b(?:subprocess(?:["']\))?|sp)\.(?:run|call)\s*\(|\bpty\.spawn\s*\(|\basyncio\.create_subprocess_(?:shell|exec)\s*\(|(?<![.\w])(?:system|popen|Popen|check_output|check_call|getoutput)\s*\(/g,
    perl: /\b(?:system|exec)\b\s*\(?|\bqx\s*(?=[^\w\s=,;])|\bopen\s*\(?[^,;]{1,80},\s*(?=["'](?:-\||\|))/g,
    ruby: /\b(?:system|exec|spawn|Open3\.\w+|IO\.popen|PTY\.spawn|popen)\b[ \t]*\(?|%x(?=[^\w\s])/g,
    javascript:
      /\b(?:execSync|execFileSync|execFile|spawnSync|spawn|exec|Deno\.Command|Bun\.spawn|spawnAsync|execa(?:Sync|Command(?:Sync)?)?)\s*\(|(?<![\w$])(?:Bun\.)?\$(?=`)/g,
    php: /\b(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec)\s*\(/g,
    lua: /\b(?:os\.execute|io\.popen)\s*\(?/g,
    awk: /\bsystem\s*\(|\|&?\s*(?=")/g,
    tcl: /\b(?:exec|spawn|system|send(?:\s+--)?)\s+/g,
    r: /\b(?:system2?|shell)\s*\(/g,
    julia: /\brun\s*\(/g,
    elixir: /\b(?:System\.(?:cmd|shell)|os\.cmd)\s*\(|:os\.cmd\s*\(/g,
    lisp: /\((?:shell-command(?:-to-string)?|call-process(?:-shell-command)?|start-process|async-shell-command|system)\s+/g,
    scheme: /\((?:system\*?|open-(?:input-|output-)?pipe)\s+/g,
    applescript: /\bdo shell script\s+|\bdoShellScript\s*\(/g,
    groovy: /(?=["'][^"'\n]*["']\.execute\(\))/g,
    scala: /(?=["'][^"'\n]*["']\.!)/g,
    haskell: /\b(?:callCommand|system|readCreateProcess \(shell|spawnCommand)\s+/g,
    erlang: /\bos:cmd\s*\(/g,
    vim: /\b(?:system(?:list)?|jobstart|termopen|os\.(?:execute|system|exec[lv]p?e?)|io\.popen)\s*\(/g,
  }),
);
/** In other languages such calls have such names. */
const OTHER_CALLS =
  /(?<![\w.])(?:[\w.:/-]{0,80}[.:/(])?(?:exec\w*|system|shell\w*|popen|spawn\w*|command|cmd|process(?:builder)?|run-(?:program|process|shell-command)|sh|subprocess)!?(?:\(\)\.exec\w*)?\s*\(?\s*(?=["'([])/gi;

/** Backticks run commands. */
const BACKTICKS: ReadonlySet<string> = new Set(['perl', 'ruby', 'php', 'julia']);

/** `kept`: what the code prints goes to another program or a file. */
export function callsIn(language: string, code: string, kept = true): Call[] {
  const calls: Call[] = LINES.get(language)?.(code) ?? [];
  const pattern = CALLS.get(language) ?? (LINES.has(language) ? undefined : OTHER_CALLS);
  let spans: readonly Span[] | undefined;
  const spoken = (at: number) => {
    spans ??= textSpansIn(language, code, kept);
    return spans.some(({ from, to }) => from <= at && at < to);
  };
  if (pattern !== undefined) {
    for (const found of code.matchAll(pattern)) {
      if (calls.length >= MOST_CALLS) break;
      if (isComment(language, code, found.index) || spoken(found.index)) continue;
      calls.push(...argumentAt(language, code, found.index + found[0].length, found[0]));
    }
  }
  if (language === 'python' && code.includes('subprocess')) {
    for (const found of code.matchAll(
      /(?<![\w.])(?:(?!subprocess|sp\.)\w+\.)?(?:run|call)\s*\(\s*(?=[rf]?["'[])/g,
    ))
      if (calls.length < MOST_CALLS && !spoken(found.index))
        calls.push(...argumentAt(language, code, found.index + found[0].length, found[0]));
  }
  if (language === 'awk') {
    for (const [, text = ''] of code.matchAll(/"((?:[^"\\]|\\.)*)"\s*\|&?\s*getline/gs)) {
      if (calls.length < MOST_CALLS) calls.push({ kind: 'text', text: plain(text), known: true });
    }
  }
  if (BACKTICKS.has(language)) {
    for (const { index, 1: text = '' } of code.matchAll(/`((?:[^`\\]|\\.)*)`/gs)) {
      if (calls.length < MOST_CALLS && !spoken(index))
        calls.push({ kind: 'text', text: plain(text), known: !/[$#@]\{?\w/.test(text) });
    }
  }
  return calls;
}

const MOST_LITERALS = 16;

/** Texts in the code that could be commands: for code that runs one it does not name. */
export function commandLiterals(language: string, code: string): string[] {
  const found: string[] = [];
  for (const { index } of code.matchAll(/["'`]/g)) {
    if (found.length >= MOST_LITERALS) break;
    const literal = /[\w\\]/.test(code[index - 1] ?? '') ? null : literalAt(language, code, index);
    if (literal !== null && /^\s*[\w./~-]+ +\S/.test(literal.text) && !isOnlyText(language, code, index))
      found.push(literal.text);
  }
  return found;
}

/** A literal, a list of literals, or several of them. */
function argumentAt(language: string, code: string, from: number, before: string): Call[] {
  let at = skipBlanks(code, from);
  // A line that is divided into words is still the line.
  if (code.startsWith('shlex.split(', at)) at = skipBlanks(code, at + 'shlex.split('.length);
  if (code[at] === '[' || (code[at] === '(' && language === 'python'))
    return [{ kind: 'words', words: listAt(language, code, at) }];
  const bare = WORD_LISTS.has(language) ? BARE_WORDS.exec(code.slice(at, at + 4000)) : null;
  if (bare !== null) {
    const inner = bare[1] ?? bare[2] ?? bare[3] ?? bare[4] ?? bare[6] ?? '';
    return [{ kind: 'words', words: inner.trim().split(/\s+/) }];
  }
  const first = joinedAt(language, code, at) ?? assignedTo(language, code, at);
  // A command in `tcl` is bare words up to the end of the line.
  if (first === null && language === 'tcl') {
    return [{ kind: 'text', text: /^[^\]\n;]*/.exec(code.slice(at, at + 4000))![0], known: false }];
  }
  if (first === null) return /\bqx|%x/.test(before) || code[at] === ')' ? [] : [{ kind: 'words', words: [] }];
  at = skipBlanks(code, first.end);
  const whole: Call = {
    kind: 'text',
    text: first.text,
    known: first.known && !/^(?:\.\.|[+.%])/.test(code.slice(at, at + 2)),
  };
  const blanks = BETWEEN_BLANKS.has(language);
  if (blanks ? literalAt(language, code, at) === null : code[at] !== ',') return [whole];
  const words: (string | null)[] = [first.known ? first.text : null];
  if (!blanks) at = skipBlanks(code, at + 1);
  // Options with the arguments among them: `new Deno.Command('sh', { args: ['-c', …] })`.
  at += /^\{\s*args\s*:\s*(?=\[)/.exec(code.slice(at, at + 40))?.[0].length ?? 0;
  if (code[at] === '[') words.push(...listAt(language, code, at));
  else {
    for (
      let next = literalAt(language, code, at);
      next !== null && words.length < 64;
      next = literalAt(language, code, at)
    ) {
      words.push(next.known ? next.text : null);
      at = skipBlanks(code, next.end);
      if (!blanks && code[at] !== ',') break;
      if (!blanks) at = skipBlanks(code, at + 1);
    }
  }
  // What it is called stands between the program and its arguments.
  if (/exec[lv]p?e?\s*\(/.test(before)) words.splice(1, 1);
  // One string and options is a line for a shell in most languages.
  return words.length === 1 ? [whole] : [{ kind: 'words', words }];
}

/** Languages in which arguments stand behind one another. */
const BETWEEN_BLANKS: ReadonlySet<string> = new Set(['clojure', 'scheme']);

/** `%w[a b]`, `qw(a b)`: words without quotes. */
const BARE_WORDS =
  /^\*?(?:%[wW]|qw)\s*(?:\[([^\]]*)\]|\(([^)]*)\)|\{([^}]*)\}|<([^>]*)>|([|!/])([\s\S]*?)\5)/;
const WORD_LISTS: ReadonlySet<string> = new Set(['ruby', 'perl']);

/** What the code itself gives a name: `c = "…"; os.system(c)`. Nothing says that it still has it. */
function assignedTo(language: string, code: string, at: number): Literal | null {
  const name = /^[$@]?([A-Za-z_]\w*)(?![\w(.[])/.exec(code.slice(at, at + 64));
  if (name === null) return null;
  let literal: Literal | null = null;
  for (const found of code.slice(0, at).matchAll(/(?<![\w.])(\w{1,64})\s*=\s*(?!=)/g)) {
    if (found[1] === name[1]) literal = joinedAt(language, code, found.index + found[0].length) ?? literal;
  }
  return literal === null ? null : { ...literal, known: false, end: at + name[0].length };
}

function skipBlanks(code: string, from: number): number {
  let at = from;
  while (at < code.length && /\s/.test(code[at]!)) at++;
  return at;
}

/** The strings between brackets; what is no string is null. */
function listAt(language: string, code: string, open: number): (string | null)[] {
  const words: (string | null)[] = [];
  let at = skipBlanks(code, open + 1);
  while (at < code.length && words.length < 256) {
    if (code[at] === ']' || code[at] === ')') break;
    const literal = joinedAt(language === 'perl' || language === 'ruby' ? 'python' : language, code, at);
    if (literal === null) {
      words.push(null);
      while (at < code.length && !/[,\])]/.test(code[at]!)) at++;
    } else {
      words.push(literal.known ? literal.text : null);
      at = skipBlanks(code, literal.end);
    }
    if (code[at] === ',') at = skipBlanks(code, at + 1);
    else if (code[at] !== ']' && code[at] !== ')') {
      if (words.length > 0) words[words.length - 1] = null;
      while (at < code.length && !/[,\])]/.test(code[at]!)) at++;
      if (code[at] === ',') at = skipBlanks(code, at + 1);
    }
  }
  return words;
}

interface Literal {
  readonly text: string;
  readonly known: boolean;
  readonly end: number;
}

/** How languages join two literals; those that stand behind one another are joined in some. */
const JOINED = /\s*(?:\+\+?|\.\.?|<>|~)\s*(?=[rRbBuUfF]{0,2}["'`])/y;
const ADJOINED = /\s*(?=[rRbBuUfF]{0,2}["'])/y;
const ADJOINING: ReadonlySet<string> = new Set(['python', 'ruby', 'awk', 'c', 'julia']);

/** A literal, with those it is joined with: `'rm -r' + 'f x'`. */
function joinedAt(language: string, code: string, at: number): Literal | null {
  let whole = literalAt(language, code, at);
  for (let count = 0; whole !== null && count < MOST_LITERALS; count++) {
    const sign = [JOINED, ...(ADJOINING.has(language) ? [ADJOINED] : [])].find((pattern) => {
      pattern.lastIndex = whole!.end;
      return pattern.test(code);
    });
    const next = sign === undefined ? null : literalAt(language, code, sign.lastIndex);
    if (next === null) break;
    whole = { text: whole.text + next.text, known: whole.known && next.known, end: next.end };
  }
  return whole;
}

const LITERAL = /([rRbBuUfFqQwx%]{0,2})("""|'''|["'`])/y;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

function literalAt(language: string, code: string, at: number): Literal | null {
  LITERAL.lastIndex = at;
  const found = LITERAL.exec(code);
  if (found === null) {
    // `q(…)`, `qq{…}`
    const named =
      language === 'perl' || language === 'ruby'
        ? /^(?:qq?|%[qQ])\s*(?=[^\w\s,;=])/.exec(code.slice(at, at + 8))
        : null;
    if (named !== null) return literalAt(language, code, at + named[0].length);
    const open = code[at] ?? '';
    const paired = /[({[<|!/]/.test(open) && (language === 'perl' || language === 'ruby');
    return paired ? endOf(code, at + 1, CLOSING[open] ?? open, true, false) : null;
  }
  const [, prefix = '', quote = ''] = found;
  const interpolates = (quote !== "'" && quote !== "'''" && language !== 'python') || /f/i.test(prefix);
  return endOf(code, LITERAL.lastIndex, quote, interpolates, /r/i.test(prefix));
}

function endOf(code: string, from: number, quote: string, interpolates: boolean, raw: boolean): Literal {
  let end = from;
  while (end < code.length && !code.startsWith(quote, end)) end += code[end] === '\\' ? 2 : 1;
  const inside = code.slice(from, end);
  const known = !interpolates || !/[$#@]\{?\w|\{\w/.test(inside);
  return { text: raw ? inside : plain(inside), known, end: Math.min(end + quote.length, code.length) };
}

function plain(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, char: string) =>
    char === 'n' || char === 'r' ? '\n' : char === 't' ? '\t' : char === '\n' ? '' : char,
  );
}

/** Languages of lines, in which a line can be a command. */
const LINES: ReadonlyMap<string, (code: string) => Call[]> = new Map(
  Object.entries<(code: string) => Call[]>({
    crontab: (code) => lineCalls(code, /^[ \t]*(?!#)(?!\w+[ \t]*=)(?:@\w+|(?:\S+[ \t]+){4}\S+)[ \t]+(.+)$/gm),
    sed: (code) => [
      ...lineCalls(code, /(?:^|[;{\n]|\d|[$/])[ \t]*e[ \t]+([^\n]+)/gm),
      ...replacementsRun(code),
    ],
    ed: (code) => lineCalls(code, /^(?:[rwe][ \t]*)?!(.+)$/gm),
    vim: (code) =>
      lineCalls(code, /(?:^|[|\n])[ \t]*:?(?:silent!?[ \t]*)?(?:(?:r[ \t]*)?!|term(?:inal)?[ \t])(.+)$/gm),
    // Recipes, behind a tab or the `;` of a rule; variables of make are not those of the shell.
    make: (code) => lineCalls(code, RECIPES).map(fromRecipe),
    gdb: (code) => lineCalls(code, /^[ \t]*(?:shell|!)[ \t]*(.+)$/gm),
    sql: (code) => [
      ...lineCalls(code, /\\![ \t]*(.+)$/gm),
      ...lineCalls(code, /^[ \t]*(?:\.shell|\.system|system)[ \t]+(.+)$/gim),
      ...lineCalls(code, /\bprogram\s+'((?:[^']|'')*)'/gi),
    ],
    // In a notebook; elsewhere no line begins so.
    python: (code) => lineCalls(code, /^[ \t]*!(.+)$/gm),
    dc: (code) => lineCalls(code, /!([^\n]+)/g),
  }),
);

function fromRecipe(call: Call): Call {
  if (call.kind !== 'text') return call;
  const text = call.text.replace(/\$\((\w+)\)/g, (_, name: string) => `\${${name}}`).replaceAll('$$', '$');
  return { ...call, text, known: false };
}

const RECIPES = /^(?:\t|[^\t\n#:=]+::?[^\n;=]*;)[ \t]*[-@+]*((?:[^\n\\]|\\[\s\S])+)/gm;

/** `s/…/…/e` runs what it has put together: what it replaces with, and what stands around it. */
function replacementsRun(code: string): Call[] {
  const calls: Call[] = [];
  for (const found of code.matchAll(/(?:^|[;{\n\d$/])[ \t]*s([^\w\s\\])/g)) {
    if (calls.length >= MOST_CALLS) break;
    const ends: number[] = [];
    let at = found.index + found[0].length;
    for (; ends.length < 2 && at < code.length; at++) {
      if (code[at] === '\\') at++;
      else if (code[at] === found[1]) ends.push(at);
    }
    if (!/^[gpiImM0-9]*e/.test(code.slice(at, at + 16))) continue;
    const text = code
      .slice(ends[0]! + 1, ends[1])
      .replaceAll('&', '')
      .replace(/\\(.)/g, '$1');
    calls.push(text.trim() === '' ? { kind: 'words', words: [] } : { kind: 'text', text, known: false });
  }
  return calls;
}

function lineCalls(code: string, pattern: RegExp): Call[] {
  const calls: Call[] = [];
  for (const [, text = ''] of code.matchAll(pattern)) {
    if (calls.length >= MOST_CALLS) break;
    calls.push({ kind: 'text', text, known: true });
  }
  return calls;
}
