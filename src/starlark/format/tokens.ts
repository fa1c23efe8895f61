/**
 * A text as the formatter sees it: its tokens with what stands between them, and the brackets they stand in. Comments are no
 * tokens of the language, so they are found in the gaps.
 */
import { Scanner } from '../syntax/scan.ts';
import type { TokenKind } from '../syntax/token.ts';

export interface Comment {
  readonly text: string;
  /** It has a line of its own. */
  readonly own: boolean;
  /** Of a comment with a line of its own: how far it is indented, and whether an empty line is above it. */
  readonly col: number;
  readonly blank: boolean;
}

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** What stands between the token before and this one. */
  readonly comments: readonly Comment[];
  /** A line ends before it, and an empty one is right above it. */
  readonly breaks: boolean;
  readonly blank: boolean;
  /** Its column in the text, for the first of a line. */
  readonly col: number;
  /** How many blocks it stands in. */
  readonly level: number;
  /** The brackets around it; a closing bracket counts as inside its own. */
  group: Group | null;
  /** For an opening bracket: its own group. */
  opens?: Group;
}

export interface Group {
  readonly parent: Group | null;
  readonly open: '(' | '[' | '{';
  /** `f(`, `x[`: it follows an operand. */
  readonly suffix: boolean;
  commas: number;
  /** It holds a comprehension. */
  loops: boolean;
  /** Some line ends directly in it. */
  breaks: boolean;
  /** A line ends right after it opens. */
  breaksFirst: boolean;
  /** The token before its end is a comma. */
  trailing: boolean;
  /** Colons that belong to a lambda and not to a dict or a slice. */
  lambdas: number;
}

const OPERANDS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'identifier',
  'int literal',
  'float literal',
  'string literal',
  'bytes literal',
  ')',
  ']',
  '}',
]);

/** Whether what follows such a token goes on with it: an operator after it has two sides, a bracket is a call or an index. */
export function isOperand(kind: TokenKind | undefined): boolean {
  return kind !== undefined && OPERANDS.has(kind);
}

export function tokensOf(text: string, oneExpression: boolean): Token[] {
  const scanner = new Scanner(text, () => {}, oneExpression);
  const tokens: Token[] = [];
  let group: Group | null = null;
  let end = 0;
  let level = 0;
  for (;;) {
    const kind = scanner.next();
    const { start } = scanner;
    if (kind === 'indent' || kind === 'outdent') {
      level += kind === 'indent' ? 1 : -1;
      continue;
    }
    const gap = text.slice(end, start);
    const lineStart = text.lastIndexOf('\n', start - 1) + 1;
    const lines = gap.split('\n');
    const token: Token = {
      kind,
      text: text.slice(start, scanner.end),
      comments: commentsIn(lines, end === 0),
      breaks: lines.length > 1,
      blank: lines.length > 2 && isBlank(lines[lines.length - 2]!),
      col: widthOf(text.slice(lineStart, start)),
      level,
      group,
    };
    const before = tokens.at(-1);
    if (group !== null && (token.breaks || token.comments.length > 0)) {
      group.breaks = true;
      if (before?.opens === group) group.breaksFirst = true;
    }
    if (kind === '(' || kind === '[' || kind === '{') {
      const suffix: boolean = isOperand(before?.kind) || before?.kind === 'load';
      group = {
        parent: group,
        open: kind,
        suffix,
        commas: 0,
        loops: false,
        breaks: false,
        breaksFirst: false,
        trailing: false,
        lambdas: 0,
      };
      token.opens = group;
    } else if (group !== null) {
      if (kind === ',') group.commas++;
      else if (kind === 'for') group.loops = true;
      else if (kind === ')' || kind === ']' || kind === '}') {
        group.trailing = before?.kind === ',';
        group = group.parent;
      }
    }
    tokens.push(token);
    if (kind === 'end of file') return tokens;
    // A line break is part of the gap after it: empty lines are counted from it.
    end = kind === 'newline' ? start : scanner.end;
  }
}

function commentsIn(lines: readonly string[], atStart: boolean): Comment[] {
  return lines.flatMap((line, at) => {
    const from = line.indexOf('#');
    if (from === -1) return [];
    return [
      {
        text: line.slice(from).trimEnd(),
        own: at > 0 || (atStart && isBlank(line.slice(0, from))),
        col: widthOf(line.slice(0, from)),
        blank: at > 1 && isBlank(lines[at - 1]!),
      },
    ];
  });
}

function isBlank(line: string): boolean {
  return line.trim() === '' || line.trim() === '\\';
}

function widthOf(space: string): number {
  let width = 0;
  for (const char of space) width = char === '\t' ? width + 8 - (width % 8) : width + 1;
  return width;
}
