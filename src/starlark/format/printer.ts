/**
 * Writes tokens as lines. Where a line breaks in brackets is the author's choice and how it breaks is not: with one break between
 * items, every item has a line of its own and a comma.
 */
import type { TokenKind } from '../syntax/token.ts';
import { type Comment, type Group, isOperand, type Token } from './tokens.ts';

const INDENT = 4;
const HEADERS: ReadonlySet<TokenKind> = new Set<TokenKind>(['def', 'if', 'elif', 'else', 'for', 'while']);
const UNARY: ReadonlySet<TokenKind> = new Set<TokenKind>(['+', '-', '~', '*', '**']);
const CLOSING: ReadonlySet<TokenKind> = new Set<TokenKind>([')', ']', '}']);

/** How a group is written, and how far what is in it and its closing bracket are indented. */
interface Layout {
  readonly mode: 'flat' | 'items' | 'free';
  readonly content: number;
  readonly base: number;
}

interface Line {
  readonly text: string;
  readonly level: number;
  blank: boolean;
}

export class Printer {
  private readonly tokens: readonly Token[];
  private readonly lines: string[] = [];
  private line = '';
  private lineIndent = 0;
  private readonly layouts = new Map<Group, Layout>();
  /** The columns that blocks of the text begin at, by level. */
  private readonly columns: number[] = [0];
  /** Blocks of statements that stood on the line of their header. */
  private inline = 0;
  private level = 0;
  private afterDef = false;
  /** Of the statement being written: its first word, and lambdas whose colon is still to come. */
  private head: TokenKind = 'newline';
  private lambdas = 0;
  /** Comments that stood before a comma and go behind it. */
  private carried: readonly Comment[] = [];

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  print(): string {
    let fresh = true;
    for (const [at, token] of this.tokens.entries()) {
      const { kind } = token;
      if (kind === 'newline' || kind === 'end of file') {
        this.trail(token.comments.filter(({ own }) => !own));
        this.flush();
        if (kind === 'end of file') this.lead(token, true);
        fresh = true;
        this.inline = 0;
        continue;
      }
      if (fresh) {
        this.lead(token, false);
        this.head = kind;
        this.lambdas = 0;
        this.line = textOf(token);
        fresh = false;
      } else if (kind === ';' && token.group === null) {
        if (this.keepsLine(at)) this.line += ';';
        else if (!this.isLast(at)) {
          this.flush();
          fresh = true;
        }
        continue;
      } else this.follow(token, at);
      if (token.opens !== undefined) this.open(token.opens);
      if (this.endsHeader(token)) {
        if (this.isLast(at) || this.keepsLine(at)) continue;
        this.flush();
        this.inline++;
        fresh = true;
      }
    }
    return this.lines.length === 0 ? '' : `${this.lines.join('\n')}\n`;
  }

  private isLast(at: number): boolean {
    const next = this.tokens[at + 1]?.kind;
    return next === 'newline' || next === 'end of file';
  }

  /** A comment beside several statements is about the line: `# harness: ignore` accepts what is found there. */
  private keepsLine(at: number): boolean {
    if (this.isLast(at)) return false;
    const ends = this.tokens.slice(at).find(({ kind }) => kind === 'newline' || kind === 'end of file');
    return ends!.comments.some(({ own }) => !own);
  }

  /** What stands above a statement, and the indentation of its own line. */
  private lead(token: Token, atEnd: boolean): void {
    const level = atEnd ? 0 : token.level + this.inline;
    const first = this.lines.length === 0;
    const deeper = level > this.level;
    let depth = Math.max(level, this.level);
    const above: Line[] = token.comments
      .filter(({ own }) => own)
      .map((comment) => {
        while (depth > level && (this.columns[depth] ?? 0) > comment.col) depth--;
        return { text: comment.text, level: deeper ? level : depth, blank: comment.blank };
      });
    if (!atEnd) above.push({ text: '', level, blank: token.blank });
    this.spread(above, token, first || deeper);
    for (const { text, level: own, blank } of above) {
      if (blank && this.lines.length > 0) this.lines.push('');
      if (text !== '') this.lines.push(' '.repeat(own * INDENT) + text);
    }
    if (atEnd) return;
    this.columns.length = level + 1;
    this.columns[level] = token.col;
    this.level = level;
    this.lineIndent = level * INDENT;
    if (level === 0) this.afterDef = token.kind === 'def';
  }

  /** An empty line around every function of the top level, none at the beginning of a block or before `else`. */
  private spread(above: readonly Line[], { kind, level }: Token, begins: boolean): void {
    if (above.length === 0) return;
    const last = above.at(-1)!;
    if (kind === 'else' || kind === 'elif') last.blank = false;
    if (begins || this.inline > 0) above[0]!.blank = false;
    else if (level === 0 && last.text === '' && kind !== 'else' && kind !== 'elif') {
      let from = above.length - 1;
      while (from > 0 && !above[from]!.blank && above[from - 1]!.level === 0) from--;
      if (kind === 'def' || this.afterDef) above[from]!.blank = true;
    }
  }

  private follow(token: Token, at: number): void {
    const before = this.tokens[at - 1]!;
    const { group } = token;
    if (token.kind === ',' && group !== null) {
      this.carried = [...this.carried, ...token.comments];
      this.line += ',';
      return;
    }
    const comments = apart([...this.carried, ...token.comments]);
    this.carried = [];
    const layout = group === null ? null : this.layouts.get(group)!;
    const closes = CLOSING.has(token.kind);
    const indent = this.breakBefore(token, before, layout, comments.length > 0);
    if (closes && layout?.mode === 'items' && before.kind !== ',' && before.opens !== group) this.line += ',';
    if (indent === null) {
      this.line += this.gap(before, token, at) + textOf(token);
      return;
    }
    this.trail(comments.filter(({ own }) => !own));
    if (group === null) this.line += ' \\';
    this.flush();
    const inner = layout === null ? indent : layout.content;
    const opening = before.opens === group;
    for (const [nth, { text, blank }] of comments.filter(({ own }) => own).entries()) {
      if (blank && !(opening && nth === 0)) this.lines.push('');
      this.lines.push(' '.repeat(inner) + text);
    }
    if (token.blank && !closes && !(opening && comments.length === 0) && layout?.mode === 'items')
      this.lines.push('');
    this.lineIndent = indent;
    this.line = textOf(token);
  }

  /** How far the token is indented if a line begins with it; null if it stays on the line. */
  private breakBefore(token: Token, before: Token, layout: Layout | null, commented: boolean): number | null {
    const { group } = token;
    if (layout === null) return token.breaks ? (this.level + 1) * INDENT : null;
    const closes = CLOSING.has(token.kind);
    if (layout.mode === 'flat') return null;
    if (layout.mode === 'items') {
      if (closes) return layout.base;
      if (before.opens === group || (before.kind === ',' && before.group === group)) return layout.content;
      return token.breaks || commented ? layout.content + INDENT : null;
    }
    if (closes) {
      if (group!.breaksFirst) return layout.base;
      return commented ? layout.content : null;
    }
    return token.breaks || commented ? layout.content : null;
  }

  private open(group: Group): void {
    const { breaks, breaksFirst } = group;
    const base = this.lineIndent;
    if (!breaks) this.layouts.set(group, { mode: 'flat', content: base, base });
    else if (hasItems(group)) this.layouts.set(group, { mode: 'items', content: base + INDENT, base });
    else {
      const content = breaksFirst ? base + INDENT : base + this.line.length;
      this.layouts.set(group, { mode: 'free', content, base });
    }
  }

  private gap(before: Token, token: Token, at: number): string {
    const { kind } = token;
    if (before.opens !== undefined || CLOSING.has(kind) || kind === ',' || kind === ':') return '';
    if (kind === '.') return before.kind === 'int literal' ? ' ' : '';
    if (before.kind === '.') return '';
    if (before.kind === ':') return isSlice(before) ? '' : ' ';
    if (token.opens?.suffix === true) return '';
    return UNARY.has(before.kind) && !isOperand(this.tokens[at - 2]?.kind) ? '' : ' ';
  }

  /** Whether it is the colon after which a block begins. Keeps count of lambdas, which have colons of their own. */
  private endsHeader({ kind, group }: Token): boolean {
    if (kind === 'lambda') {
      if (group === null) this.lambdas++;
      else group.lambdas++;
    }
    if (kind !== ':') return false;
    if (group !== null) {
      if (group.lambdas > 0) group.lambdas--;
      return false;
    }
    if (this.lambdas > 0) {
      this.lambdas--;
      return false;
    }
    return HEADERS.has(this.head);
  }

  private trail(comments: readonly Comment[]): void {
    for (const { text } of comments) this.line += `  ${text}`;
  }

  private flush(): void {
    if (this.line === '') return;
    this.lines.push(' '.repeat(this.lineIndent) + this.line.trimEnd());
    this.line = '';
  }
}

/** A line has room for one comment at its end: further ones get lines of their own. */
function apart(comments: readonly Comment[]): Comment[] {
  return comments.map((comment, at) => (at > 0 && !comment.own ? { ...comment, own: true } : comment));
}

/** Whether its parts are items that may have a line each: not those of an index, a comprehension or plain parentheses. */
function hasItems({ open, suffix, commas, loops, breaksFirst }: Group): boolean {
  if (loops || (open === '[' && suffix) || (open === '(' && !suffix && commas === 0)) return false;
  return commas > 0 || breaksFirst;
}

/** The colon of `x[a:b]`. */
function isSlice({ group }: Token): boolean {
  return group !== null && group.open === '[' && group.suffix && group.lambdas === 0;
}

const SINGLE = /^([rRbB]*)'((?:[^'"\\]|\\[^'"])*)'$/;
const TRIPLE = /^([rRbB]*)'''([^"]*)'''$/;

/** Double quotes, where nothing in the text minds. */
function textOf({ kind, text }: Token): string {
  if (kind !== 'string literal' && kind !== 'bytes literal') return text;
  const triple = TRIPLE.exec(text);
  if (triple !== null) return `${triple[1]}"""${triple[2]}"""`;
  const single = SINGLE.exec(text);
  return single === null ? text : `${single[1]}"${single[2]}"`;
}
