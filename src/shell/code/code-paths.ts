/**
 * Paths that code of another language reads, writes or deletes: the literals (and the home folder) that stand in a call, by the
 * name of the call. One table for all languages: they call these things alike. It may miss a path; what only speaks of one
 * (`print("/etc/x")`, a comment, a comparison) it leaves out.
 */
import { resolvePath } from '../paths.ts';
import type { PathUses } from '../programs/roles.ts';
import type { CommandCode } from '../reading.ts';
import { sedFiles } from './sed-files.ts';

type AccessList = 'reads' | 'writes' | 'deletes';

/** Names as they are compared: small letters, without `_`, `-`, `!` and `Sync`. */
const KNOWN_CALLS: ReadonlyMap<string, AccessList | 'open' | 'lists' | 'within' | 'speaks'> = new Map(
  Object.entries({
    deletes: `rm rmr rmrf rmf rmtree rmdir unlink remove removeall removetree removedirs removeentry removeentrysecure removeitem
      removefile removedirectory removedirectoryrecursive removepathforcibly delete deletefile deletedir deletedirectory
      deletedirectoryfiles deletetree deleterecursively deleteifexists rimraf emptydir truncate`,
    writes: `writefile writetext writebytes writealltext fileputcontents appendfile appendtext copyfile copy2 chmod chown symlink
      spit outputfile writetextfile createwritestream rename renameto move mv replacefile`,
    reads: `readfile readtextfile readtext readbytes readalltext readlines filegetcontents createreadstream slurp read
      ioread readstring`,
    open: 'open openfile fopen',
    lists:
      'glob rglob globiterator listdir listfiles readdir scandir iterdir walk find fromnames dir children entries',
    within: `path pathlib pathpath join expanduser expandpath resolve file url pathname filepath normalize abspath paths get string
      fromurl str new`,
    speaks: `print println printf puts p echo log info warn error debug say insert insertone append push count index
      indexof includes contains test match search findall replace replaceall sub gsub split startswith endswith quote
      assert equal assertequal assertin expect tobe toequal len length message format eq explain parse dumps stringify`,
  }).flatMap(([use, names]) =>
    names
      .split(/\s+/)
      .map((name) => [name, use as AccessList | 'open' | 'lists' | 'within' | 'speaks'] as const),
  ),
);
/** The home folder as languages say it, a literal, or what perl opens between angles. */
const LITERAL_OR_HOME =
  /((?:require\(["'](?:node:)?os["']\)|os)\.homedir\(\)|homedir\(\)|(?:pathlib\.)?Path\.home\(\)|Dir\.home|process\.env\.HOME|(?:os\.)?(?:environ|getenv|ENV|Sys\.getenv)\s*[[({]\s*["']?HOME["']?\s*[\])}]|\$ENV\{["']?HOME["']?\}|System\.user_home!?(?:\(\))?|NSHomeDirectory\(\)|FileManager\.default\.homeDirectoryForCurrentUser|System\.getProperty\("user\.home"\)|os\.UserHomeDir\(\)|\$HOME)|(["'`])((?:\\.|(?!\2)[^\\\n]){1,400})\2|<([~/][^<>\s]{0,200})>/g;
/** The last call, word or assignment before a literal, within its statement. */
const BEFORE =
  /^(?:.*[^\w$.:!?/>-])?([\w$.:!?/>-]*[\w$!?])\s*(?:[({[]\s*|[ \t]+)(?:[^(){};\n]*[,(+:=]\s*)?[rbuRBU]?$/s;
const ASSIGNED = /(?:^|[;{\n]|\b(?:let|const|var|my|val|local)\s)\s*[$@]?(\w+)\s*=\s*[rbu]?$/;
/** `homedir() + "/x"`, `join(homedir(), "x")`, `Path.home() / "x"`, `ENVIRON["HOME"] "/x"`. */
const BELOW_HOME = /^\s*(?:[+.,/]|\.\.)?\s*["'`]([^"'`\s]{1,200})["'`]/;
const HOME_IN_TEXT =
  /^(?:\$\{?(?:ENV\{["']?)?HOME["']?\}?|\$\{process\.env\.HOME\}|\$\{os\.homedir\(\)\}|#\{Dir\.home\})(?=\/|$)/;
/** What a search is given names the folder it begins in. */
const WILD_PART = /\/[^/]*[*?[].*$/s;
const METHOD_AFTER = /^[\s)\]]{0,4}\.(\w+)/;
const MODE_WRITES = /^\s*,\s*(?:mode\s*=\s*)?["'](?:[wax]|r\+|>|\+)/;
const DELETING_CALL = /\b(?:rm\w*|remove\w*|unlink\w*|delete\w*|rmtree)\b[!)]?\s*[( .]/i;
/** Languages of another kind: theirs are read in their own way. */
const OTHERS: ReadonlySet<string> = new Set([
  'sh',
  'sql',
  'sed',
  'make',
  'awk',
  'ed',
  'redis',
  'crontab',
  'gdb',
  'bc',
  'dc',
]);
const MOST_CODE = 20_000;
const MOST_PATHS = 100;

export function addCodePaths(uses: PathUses, { language, text }: CommandCode, cwd: string | null): void {
  if (language === 'awk') addAwkPaths(uses, text.slice(0, MOST_CODE), cwd);
  if (language === 'ed')
    for (const [, path = ''] of text.slice(0, MOST_CODE).matchAll(ED_WRITES))
      uses.writes.push(resolvePath(cwd, { text: path.trim(), tilde: false }));
  if (language === 'sed')
    for (const { use, path } of sedFiles(text.slice(0, MOST_CODE)))
      uses[use].push(resolvePath(cwd, { text: path, tilde: false }));
  if (language === 'sql') addSqlPaths(uses, text.slice(0, MOST_CODE), cwd);
  if (OTHERS.has(language)) return;
  const code = text.slice(0, MOST_CODE);
  let left = MOST_PATHS;
  for (const found of code.matchAll(LITERAL_OR_HOME)) {
    if (left-- === 0) return;
    const [all, home, , quoted = '', angled] = found;
    const behind = home === undefined ? null : BELOW_HOME.exec(code.slice(found.index + all.length));
    const literal =
      home === undefined
        ? (angled ?? quoted).replace(HOME_IN_TEXT, '~')
        : `~${behind === null ? '' : `/${behind[1]!.replace(/^\/+/, '')}`}`;
    const written = /^\s*\+?>{1,2}\s*/.exec(literal)?.[0];
    const path = written === undefined ? literal.replace(/^\s*<\s*/, '') : literal.slice(written.length);
    if (path === '' || /\s/.test(path) || !/^[~/.]|\//.test(path)) continue;
    const after = code.slice(found.index + all.length, found.index + all.length + 60);
    const use = useAt(code, found.index, after, written !== undefined, /^[~/]/.test(path));
    const shown = { text: path.replace(WILD_PART, '') || '/', tilde: path.startsWith('~') };
    if (use !== null) uses[use].push(resolvePath(cwd, shown));
    if (use === 'writes' && /^[\w.]*(?:rename|move|mv)/i.test(lastName(code, found.index) ?? '')) {
      uses.deletes.push(resolvePath(cwd, shown));
    }
  }
  for (const [, path = ''] of language === 'tcl' ? code.matchAll(TCL) : [])
    uses.deletes.push(resolvePath(cwd, { text: path, tilde: path.startsWith('~') }));
}

/** `print > "/x"`, `print >> ENVIRON["HOME"] "/x"`, `getline < "/x"`: where it stands says what it is. */
const AWK_FILES =
  /(\bprintf?\b[^|;}\n]*?>{1,2}|\bgetline\b[^|;}\n<]*<)\s*(ENVIRON\["HOME"\]\s*)?"([^"\s]{1,200})"/g;

function addAwkPaths(uses: PathUses, code: string, cwd: string | null): void {
  for (const [, sign = '', home, path = ''] of code.matchAll(AWK_FILES)) {
    const whole = home === undefined ? path : `~/${path.replace(/^\/+/, '')}`;
    uses[sign.startsWith('p') ? 'writes' : 'reads'].push(
      resolvePath(cwd, { text: whole, tilde: whole.startsWith('~') }),
    );
  }
}

/** Commands of the clients of sqlite and PostgreSQL, not of the language. */
const SQL_FILES =
  /(?:^\s*(?:\.(?:output|once|log|backup|save|clone)|\\(?:o|out|w|write|g))\s+|\bvacuum\b[^;]{0,80}\binto\s+|\binto\s+(?:out|dump)file\s+)["']?([^\s"'|]{1,200})/gim;

function addSqlPaths(uses: PathUses, code: string, cwd: string | null): void {
  for (const [, path = ''] of code.matchAll(SQL_FILES))
    uses.writes.push(resolvePath(cwd, { text: path, tilde: path.startsWith('~') }));
}

/** `1,$w file`, `wq file`. */
const ED_WRITES = /^[\d,;$.%\s]*[wW]q?\s+([^!\n][^\n]*)/gm;

/** Words of tcl need no quotes. */
const TCL = /\bfile\s+delete\s+(?:-\w+\s+)*([~/.\w]\S*)/g;

/** Whether what stands there is only spoken of: in a comment, or given to a call that prints, compares or keeps text. */
export function isOnlyText(language: string, code: string, at: number): boolean {
  if (isComment(language, code, at)) return true;
  const name = lastName(code, at);
  return name !== null && KNOWN_CALLS.get(plainName(name)) === 'speaks';
}

/** How comments begin that end with the line. */
const COMMENT_MARKS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '#': 'python ruby perl awk r julia elixir tcl php sed',
    '//': 'javascript swift kotlin scala groovy java go csharp c',
    '--': 'lua haskell',
    ';': 'lisp scheme clojure',
    '%': 'erlang',
  }).flatMap(([mark, languages]) => languages.split(' ').map((language) => [language, mark] as const)),
);
/** Ends a comment within its line, or begins one of another kind. */
const NO_LINE = /\?>|^\s*(?:#=|--\[|#\[)/;
/** Without any of these before it, a mark stands in no text and no pattern. */
const MAY_QUOTE = /["'`/\\<%$]/;

/** Whether what stands there is in a comment for certain. */
export function isComment(language: string, code: string, at: number): boolean {
  const mark = COMMENT_MARKS.get(language);
  if (mark === undefined) return false;
  const from = code.lastIndexOf('\n', at - 1) + 1;
  const line = code.slice(from, at);
  if (NO_LINE.test(line)) return false;
  if (line.trimStart().startsWith(mark)) return true;
  const behind = line.search(mark === '//' ? /\s\/\// : mark === '#' ? /\s#/ : /(?!)/);
  return behind !== -1 && !MAY_QUOTE.test(code.slice(0, from + behind));
}

function lastName(code: string, at: number): string | null {
  return BEFORE.exec(code.slice(Math.max(0, at - 120), at).replace(/["'`][^"'`]*$/, ''))?.[1] ?? null;
}

function plainName(name: string): string {
  return (name.split(/[.:/>]/).at(-1) ?? '').toLowerCase().replace(/sync$|[_!?-]/g, '');
}

/** `far`: it begins at the top or at home; what a search below the project deletes is its own output. */
function useAt(code: string, at: number, after: string, written: boolean, far: boolean): AccessList | null {
  const method = METHOD_AFTER.exec(after)?.[1];
  const called = method === undefined ? undefined : KNOWN_CALLS.get(plainName(method));
  if (called === 'deletes' || called === 'writes' || called === 'reads') return called;
  let end = at;
  for (let depth = 0; depth < 4; depth++) {
    const before = code.slice(Math.max(0, end - 120), end);
    const variable = ASSIGNED.exec(before)?.[1];
    if (variable !== undefined) return useOfVariable(code, variable);
    const found = BEFORE.exec(before);
    if (found === null) return null;
    const [, name = ''] = found;
    const use = KNOWN_CALLS.get(plainName(name));
    if (use === 'open') return written || MODE_WRITES.test(after) ? 'writes' : 'reads';
    if (use === 'lists' || called === 'lists') return far && DELETING_CALL.test(code) ? 'deletes' : null;
    if (use === 'deletes' || use === 'writes' || use === 'reads') return use;
    if (use !== 'within') return null;
    end -= before.length - before.lastIndexOf(name);
  }
  return null;
}

/** `d = "/home"; rmtree(d)`: what a call does with it that is given the name. */
function useOfVariable(code: string, variable: string): AccessList | null {
  for (const [, name = '', given] of code.matchAll(CALL_WITH_NAME)) {
    const use = given === variable ? KNOWN_CALLS.get(plainName(name)) : undefined;
    if (use === 'deletes' || use === 'writes' || use === 'reads') return use;
  }
  return null;
}

/** A call, and the name it is given first. */
const CALL_WITH_NAME = /(?<![\w$.:!?-])([\w$.:!?-]{0,80}[\w!?])\s*[( ]\s*[$@]?(\w+)\b(?!\s*=)/g;
