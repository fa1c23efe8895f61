/**
 * SQL without comments and the insides of strings, so that a rule finds statements and not what they speak about. One pass.
 */
export function sqlStatements(text: string): string {
  let out = '';
  let at = 0;
  while (at < text.length) {
    const char = text[at]!;
    const two = text.slice(at, at + 2);
    if (two === '--') at = endAt(text, '\n', at + 2);
    else if (two === '/*') at = indexAfter(text, '*/', at + 2);
    else if (char === "'") {
      out += "''";
      at = indexAfter(text, "'", at + 1);
      continue;
    } else {
      out += char;
      at++;
      continue;
    }
    out += ' ';
  }
  return out.trim();
}

function endAt(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found;
}

function indexAfter(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}
