/**
 * The structure of a shell command line: which programs it names, with which words, and what it runs inside of them.
 * Quotes, escapes and variables set on the same line are resolved; nothing is ever run. It reads what people and models
 * write, not every shell, and in one pass.
 */

export interface ShellCommand {
  /** Without quotes. A variable nobody set stays as `${NAME}`, what a substitution would print as `$()`. */
  readonly words: readonly string[];
  readonly redirects: readonly { readonly op: string; readonly target: string }[];
  /** What a here-document or here-string gives it to read. */
  readonly input: string | null;
  /** It reads what the command before it writes. */
  readonly piped: boolean;
}

export interface ShellLine {
  readonly commands: readonly ShellCommand[];
  /** The text of `$(…)`, backticks and `<(…)`: command lines of their own. */
  readonly nested: readonly string[];
}

export function readShell(text: string): ShellLine {
  return new Reading(text).read();
}

interface Draft {
  words: string[];
  redirects: { op: string; target: string }[];
  input: string | null;
  piped: boolean;
}

interface HereDocument {
  readonly command: Draft;
  readonly delimiter: string;
  readonly indented: boolean;
}

const SPACE = /[ \t\r\f\v]/;
const REDIRECT = /(?:&>>?|>>|>\||>&|<<<|<<-?|<>|<&|[<>])/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '', b: '', e: '', f: '' };

class Reading {
  private readonly text: string;
  private at = 0;
  private readonly commands: Draft[] = [];
  private readonly nested: string[] = [];
  private readonly variables = new Map<string, string>();
  private command: Draft = draft(false);
  /** Null between words: an empty word in quotes is a word. */
  private word: string | null = null;
  private redirect: string | null = null;
  private here: HereDocument[] = [];

  constructor(text: string) {
    this.text = text;
  }

  read(): ShellLine {
    while (this.at < this.text.length) this.step(this.text[this.at]!);
    this.endCommand(false);
    return { commands: this.commands, nested: this.nested };
  }

  private step(char: string): void {
    if (SPACE.test(char)) this.skip(() => this.endWord());
    else if (char === '\n') this.newline();
    else if (char === '\\') this.escape();
    else if (char === "'") this.single();
    else if (char === '"') this.double();
    else if (char === '`') this.backticks();
    else if (char === '$') this.dollar(false);
    else if (char === '#' && this.word === null) this.at = this.find('\n', this.at);
    else if (this.redirected()) return;
    else if (char === '|' || char === ';' || char === '&') this.separator(char);
    else if (char === '(' || char === ')') this.skip(() => this.endCommand(false));
    else this.skip(() => this.add(char));
  }

  private skip(then: () => void): void {
    this.at++;
    then();
  }

  private add(text: string): void {
    this.word = (this.word ?? '') + text;
  }

  private separator(char: string): void {
    const double = this.text[this.at + 1] === char;
    this.at += double ? 2 : 1;
    // `|&` is a pipe too.
    if (char === '|' && !double && this.text[this.at] === '&') this.at++;
    this.endCommand(char === '|' && !double);
  }

  private newline(): void {
    this.at++;
    this.endCommand(false);
    for (const { command, delimiter, indented } of this.here.splice(0)) {
      const lines: string[] = [];
      while (this.at < this.text.length) {
        const end = this.find('\n', this.at);
        const line = this.text.slice(this.at, end);
        this.at = Math.min(end + 1, this.text.length);
        if ((indented ? line.replace(/^\t+/, '') : line) === delimiter) break;
        lines.push(line);
      }
      command.input = lines.join('\n');
    }
  }

  private escape(): void {
    const next = this.text[this.at + 1];
    this.at += 2;
    // A backslash at the end of a line joins the next one to it.
    if (next !== undefined && next !== '\n') this.add(next);
  }

  private single(): void {
    const end = this.find("'", this.at + 1);
    this.add(this.text.slice(this.at + 1, end));
    this.at = end + 1;
  }

  private double(): void {
    this.at++;
    this.add('');
    while (this.at < this.text.length) {
      const char = this.text[this.at]!;
      if (char === '"') break;
      if (char === '$') this.dollar(true);
      else if (char === '`') this.backticks();
      else if (char === '\\' && '"\\$`\n'.includes(this.text[this.at + 1] ?? ' ')) this.escape();
      else this.skip(() => this.add(char));
    }
    this.at++;
  }

  private backticks(): void {
    const end = this.find('`', this.at + 1);
    this.nested.push(this.text.slice(this.at + 1, end));
    this.add('$()');
    this.at = end + 1;
  }

  private dollar(quoted: boolean): void {
    const next = this.text[this.at + 1];
    if (next === '(') this.parenthesised(this.at + 1);
    else if (next === "'" && !quoted) this.ansi();
    else if (next === '{') this.braced(quoted);
    else {
      NAME.lastIndex = this.at + 1;
      const name = NAME.exec(this.text)?.[0];
      this.at += 1 + (name?.length ?? 0);
      this.insert(name === undefined ? '$' : (this.valueOf(name) ?? `\${${name}}`), quoted);
    }
  }

  private braced(quoted: boolean): void {
    const end = this.find('}', this.at + 2);
    const inside = this.text.slice(this.at + 2, end);
    this.at = end + 1;
    // `${X:-y}` is y where X is not set; `${X%y}` and its like are near enough to X.
    const [, name = '', fallback] =
      /^([A-Za-z_][A-Za-z0-9_]*)(?::?[-=](.*)|[:?%#^,].*)?$/s.exec(inside) ?? [];
    this.insert(this.valueOf(name) ?? fallback ?? `\${${inside}}`, quoted);
  }

  private valueOf(name: string): string | undefined {
    if (name === 'HOME') return '~';
    return this.variables.get(name) ?? (name === 'IFS' ? ' ' : undefined);
  }

  /** Outside of quotes, blanks in the value of a variable divide words. */
  private insert(value: string, quoted: boolean): void {
    const [first = '', ...rest] = quoted ? [value] : value.split(/\s+/);
    if (first !== '' || quoted) this.add(first);
    for (const piece of rest) {
      this.endWord();
      if (piece !== '') this.add(piece);
    }
  }

  private ansi(): void {
    this.at += 2;
    this.add('');
    while (this.at < this.text.length && this.text[this.at] !== "'") {
      const found = /\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|[0-7]{1,3}|.)/sy;
      found.lastIndex = this.at;
      const code = found.exec(this.text)?.[1];
      this.at += code === undefined ? 1 : code.length + 1;
      this.add(code === undefined ? this.text[this.at - 1]! : unescaped(code));
    }
    this.at++;
  }

  /** What stands between this parenthesis and the one that closes it is a command line of its own. */
  private parenthesised(open: number): void {
    let depth = 0;
    let end = open;
    for (let quote = ''; end < this.text.length; end++) {
      const char = this.text[end]!;
      if (char === '\\') end++;
      else if (quote !== '') quote = char === quote ? '' : quote;
      else if (char === "'" || char === '"') quote = char;
      else if (char === '(') depth++;
      else if (char === ')' && --depth === 0) break;
    }
    this.nested.push(this.text.slice(open + 1, end));
    this.add('$()');
    this.at = end + 1;
  }

  private redirected(): boolean {
    const char = this.text[this.at]!;
    if ((char === '<' || char === '>') && this.text[this.at + 1] === '(') {
      this.parenthesised(this.at + 1);
      return true;
    }
    REDIRECT.lastIndex = this.at;
    const op = REDIRECT.exec(this.text)?.[0];
    if (op === undefined) return false;
    // `2>` is one operator.
    if (this.word !== null && /^\d+$/.test(this.word)) this.word = null;
    this.endWord();
    this.redirect = op;
    this.at += op.length;
    return true;
  }

  private endWord(): void {
    const { word, redirect, command } = this;
    if (word === null) return;
    this.word = null;
    this.redirect = null;
    if (redirect === null) command.words.push(word);
    else if (redirect === '<<<') command.input = word;
    else if (redirect.startsWith('<<')) {
      this.here.push({ command, delimiter: word, indented: redirect === '<<-' });
    } else command.redirects.push({ op: redirect, target: word });
  }

  private endCommand(piped: boolean): void {
    this.endWord();
    const { command } = this;
    this.command = draft(piped);
    if (command.words.length === 0 && command.redirects.length === 0) {
      this.command.piped ||= command.piped;
      return;
    }
    this.commands.push(command);
    this.assign(command.words);
  }

  private assign(words: readonly string[]): void {
    if (words[0] === 'for' && words[2] === 'in') this.variables.set(words[1]!, words.slice(3).join(' '));
    const set = ['export', 'declare', 'local', 'readonly'].includes(words[0] ?? '') ? words.slice(1) : words;
    const pairs = set.map((word) => ASSIGNMENT.exec(word));
    if (pairs.includes(null)) return;
    for (const pair of pairs) this.variables.set(pair![1]!, pair![2]!);
  }

  private find(char: string, from: number): number {
    const found = this.text.indexOf(char, from);
    return found === -1 ? this.text.length : found;
  }
}

function draft(piped: boolean): Draft {
  return { words: [], redirects: [], input: null, piped };
}

function unescaped(code: string): string {
  if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
  if (/^[xu]./.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return ESCAPES[code] ?? code;
}
