/** The files that a sed program reads and writes: `w FILE`, `s/a/b/w FILE`, `r FILE`. What is no command of sed ends the reading. */

export interface SedFile {
  readonly use: 'reads' | 'writes';
  readonly path: string;
}

/** `3`, `$`, `/re/I`, `\,re,`, with a comma, `+3` or `~4` between, and `!` behind. */
const NUMBER_ADDRESS = /[\d$~+,!\s]+/y;
const FLAGS = /[gpiImMe\d]*/y;
const LABEL = /[^;\n]*/y;
const LINE = /[^\n]*/y;
const TEXT = /(?:[^\n\\]|\\[\s\S])*/y;
const STANDARD = /^\/dev\/std(?:out|err|in)$/;

export function sedFiles(code: string): SedFile[] {
  const found: SedFile[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const taken = pattern.exec(code)?.[0] ?? '';
    at += taken.length;
    return taken;
  };
  const file = (use: SedFile['use']) => {
    const path = take(LINE).trim();
    if (path !== '' && !STANDARD.test(path)) found.push({ use, path });
  };
  while (at < code.length) {
    take(NUMBER_ADDRESS);
    const char = code[at++];
    if (char === '/' || char === '\\') {
      at = behindPart(code, char === '/' ? at : at + 1, char === '/' ? '/' : code[at]);
      if (code[at] === 'I' || code[at] === 'M') at++;
    } else if (char === 's' || char === 'y') {
      const mark = code[at];
      at = behindPart(code, behindPart(code, at + 1, mark), mark);
      if (char === 's') take(FLAGS);
      if (char === 's' && code[at] === 'w') {
        at++;
        file('writes');
      }
    } else if (char === 'w' || char === 'W') file('writes');
    else if (char === 'r' || char === 'R') file('reads');
    else if (char === 'a' || char === 'i' || char === 'c') take(TEXT);
    else if (char === '#' || char === 'e') take(LINE);
    else if (char !== undefined && ':btT'.includes(char)) take(LABEL);
    else if (char !== undefined && !';{}dDgGhHnNpPxzlFqQ='.includes(char)) break;
  }
  return found;
}

/** Behind the mark that ends a pattern or a replacement; a set may hold the mark. */
function behindPart(code: string, from: number, mark: string | undefined): number {
  let inSet = false;
  for (let at = from; at < code.length; at++) {
    const char = code[at];
    if (char === '\\') at++;
    else if (inSet) inSet = char !== ']' || code[at - 1] === '[' || code.slice(at - 2, at) === '[^';
    else if (char === mark) return at + 1;
    else if (char === '[') inSet = true;
  }
  return code.length;
}
