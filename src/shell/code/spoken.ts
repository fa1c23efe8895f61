/**
 * Where code of another language only holds text that looks like a call: block comments, patterns, texts that stand alone or
 * are given to what prints, compares or replaces. What cannot be told for certain is none of these, and neither is any text
 * in code that could run one.
 */
import { isOnlyText } from './code-paths.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

interface Lexis {
  /** A comment, a pattern or a literal, as a whole. */
  readonly token: RegExp;
  /** Code may stand in such a one. */
  readonly interpolates: RegExp;
  /** What is left, a NUL for each of them, could begin one that was not found. */
  readonly uncertain: RegExp;
}

/** Comments, quoted texts, and `/…/` and `s/…/…/` where only a pattern can stand; with the flag `e` it is code. */
const SCRIPT_TOKEN =
  /(?<=^|\s)#[^\n]*|(["'])(?:\\[\s\S]|(?!\1)[^\\])*\1|(?<=(?:^|\bif|\bunless|=~|[({;])\s{0,8})(?:s\/(?:\\[\s\S]|[^\\/])*)?\/(?:\\[\s\S]|[^\\/])*\/[gimsx]*(?![\w/])/g;

const LEXIS: ReadonlyMap<string, Lexis> = new Map(
  Object.entries<Lexis>({
    python: {
      token: /#[^\n]*|("""|''')(?:\\[\s\S]|(?!\1)[^\\])*\1|(["'])(?:\\[\s\S]|(?!\2)[^\\\n])*\2/g,
      interpolates: /(?!)/,
      uncertain: /["'`]|\br?[ft]r?\0/i,
    },
    javascript: {
      token: /\/\/[^\n]*|\/\*[\s\S]*?\*\/|(["'`])(?:\\[\s\S]|(?!\1)[^\\])*\1/g,
      interpolates: /^`[\s\S]*\$\{/,
      uncertain: /["'`/]|[\w$)\]]\s*\0|<!--|-->/,
    },
    php: {
      token: /(?:\/\/|#(?!\[))(?:(?!\?>)[^\n])*|\/\*[\s\S]*?\*\/|(["'])(?:\\[\s\S]|(?!\1)[^\\])*\1/g,
      interpolates: /^"[\s\S]*\$/,
      uncertain: /["'`]|<<<|\?>/,
    },
    ruby: {
      token: SCRIPT_TOKEN,
      interpolates: /^[^'#][\s\S]*#[{$@]/,
      uncertain: /["'`/%?]|[\w$]\0|<<|\bopen\b|__END__|^=/m,
    },
    perl: {
      token: SCRIPT_TOKEN,
      interpolates: /^[^'#](?:[\s\S]*(?:[@$]\{|@\w|\(\?\??\{))/,
      uncertain: /["'`/?]|[\w$@&]\0|<<|\b(?:q[qwrx]?|m|s|y|tr)\b|\bopen\b|\bformat\b|__(?:END|DATA)__|^=/m,
    },
  }),
);

/** Code with one of these may run a text it holds, or is given one by a module of such a name. */
const RUNS =
  /eval|exec|compile|Function|\bvm\b|runpy|import_module|importlib|__|timeit|profile|doctest|builtins|getattr|global|locals|window|\bthis\b|system|popen|subprocess|spawn|fork|process|\bsend\b|method|constructor|\bpty\b|\bcode\b|\bpipe\b|stdin/i;
const RUNNING_MODULE =
  /^["'`](?:node:)?(?:child_process|vm|worker_threads|module|repl|cluster|execa|shelljs|zx|cross-spawn)["'`]$/;

/** Longer code is not looked at: what is unclosed again and again costs its square. */
const MOST_CODE = 8_000;

/** What it writes is text only in a document. */
const WRITES = /write|append_?file|\bdump\b|\bfile\s*=/i;
const FILE_NAME = /^["'`][\w./-]+\.\w{1,5}["'`]$/;
const DOCUMENT = /\.(?:md|txt|rst|adoc)["'`]$/;

/** The places of the code that are text for certain. `kept`: what it prints goes to another program or a file. */
export function textSpansIn(language: string, code: string, kept: boolean): readonly Span[] {
  const lexis = LEXIS.get(language);
  if (lexis === undefined || code.length > MOST_CODE) return [];
  const spoken: Span[] = [];
  const literals: Span[] = [];
  let rest = '';
  let masked = '';
  let end = 0;
  for (const found of code.matchAll(lexis.token)) {
    const [all] = found;
    if (lexis.interpolates.test(all) || RUNNING_MODULE.test(all)) return [];
    const between = code.slice(end, found.index);
    end = found.index + all.length;
    rest += `${between}\0`;
    masked += between + '~'.repeat(all.length);
    const quoted = /^["'`]/.test(all);
    const text = !quoted || (language === 'python' && standsAlone(rest, code.slice(end, end + 200)));
    (text ? spoken : literals).push({ from: found.index, to: end });
  }
  rest += code.slice(end);
  if (lexis.uncertain.test(rest) || RUNS.test(rest)) return [];
  const names = literals.map(({ from, to }) => code.slice(from, to)).filter((text) => FILE_NAME.test(text));
  const documents = names.length > 0 && names.every((name) => DOCUMENT.test(name));
  if (kept || (WRITES.test(rest) && !documents)) return spoken;
  return [...spoken, ...literals.filter(({ from }) => isOnlyText(language, masked, from))];
}

/** A statement that is only a literal, as a docstring is. */
function standsAlone(before: string, after: string): boolean {
  if (!/(?:^|[\n;:])[ \t]*\0$/.test(before) || !/^[ \t]*(?:[;\n]|$)/.test(after)) return false;
  return before.replace(/[^([{]/g, '').length === before.replace(/[^)\]}]/g, '').length;
}
