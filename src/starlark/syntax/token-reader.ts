/**
 * What parsing expressions and statements shares: the current token, errors, and the bookkeeping that keeps every
 * tree within the levels of its budget, counted from the file, so that later phases may recurse without a check of their own.
 */
import type { SourceFile } from '../../base/index.ts';
import type { Ident } from './ast.ts';
import type { Budget } from './budget.ts';
import { MAX_ERRORS } from './limits.ts';
import { Scanner } from './scan.ts';
import type { StaticError } from './static-error.ts';
import { describe, HINTS, type TokenKind, WORDS } from './token.ts';

/** Thrown to give up a statement; its error has been reported. */
export class GiveUp extends Error {}

export class TokenReader {
  readonly errors: StaticError[] = [];
  protected readonly source: SourceFile;
  protected readonly scanner: Scanner;
  private readonly budget: Budget;
  private readonly maxNesting: number;
  /** Where the token before the current one ended. */
  protected lastEnd = 0;
  /** Levels between the root of the tree and what is being parsed. */
  protected depth = 0;
  /** Levels in the expression parsed last. */
  protected height = 0;
  /** Offsets with an error, so that text looked at twice is reported once. */
  private readonly reported = new Set<number>();

  constructor(source: SourceFile, budget: Budget, oneExpression: boolean) {
    this.source = source;
    this.budget = budget;
    this.maxNesting = budget.nesting;
    const report = (offset: number, message: string) => this.report(offset, message, 'scan');
    this.scanner = new Scanner(source.text, report, oneExpression);
    this.scanner.next();
  }

  // --- errors ---

  protected report(offset: number, message: string, phase: StaticError['phase'] = 'parse'): void {
    if (this.errors.length >= MAX_ERRORS || this.reported.has(offset)) return;
    this.reported.add(offset);
    this.errors.push({ phase, position: this.source.position(offset), message });
  }

  /** Reports an error and gives up the statement. */
  protected fail(offset: number, message: string): never {
    if (!this.is('illegal token')) this.report(offset, message);
    throw new GiveUp(message);
  }

  /** The current token is not what the grammar wants. */
  protected unexpected(want: string, note = ''): never {
    const hint = note || HINTS.get(this.kind) || this.walrus() || this.adjacentStrings();
    const suffix = hint === '' ? '' : ` (${hint})`;
    this.fail(this.scanner.start, `got ${describe(this.kind)}, want ${want}${suffix}`);
  }

  private walrus(): string {
    const { start } = this.scanner;
    return this.is(':') && this.source.text.charAt(start + 1) === '=' ? 'assign on a line of its own' : '';
  }

  private adjacentStrings(): string {
    const before = this.source.text.charAt(this.lastEnd - 1);
    const two = this.is('string literal') && (before === '"' || before === "'");
    return two ? 'join strings with +' : '';
  }

  // --- tokens ---

  protected get kind(): TokenKind {
    return this.scanner.kind;
  }

  protected is(kind: TokenKind): boolean {
    return this.scanner.kind === kind;
  }

  /** Moves on, and returns where the token left behind began. */
  protected advance(): number {
    const { start, end } = this.scanner;
    this.budget.tick();
    this.lastEnd = end;
    this.scanner.next();
    return start;
  }

  protected accept(kind: TokenKind): boolean {
    if (this.scanner.kind !== kind) return false;
    this.advance();
    return true;
  }

  protected expect(kind: TokenKind): number {
    if (this.scanner.kind !== kind) this.unexpected(describe(kind));
    return this.advance();
  }

  /** Expects the bracket that closes the one at `open`. */
  protected close(kind: ')' | ']' | '}', open: number): void {
    if (this.is('end of file')) {
      const { line, col } = this.source.position(open);
      this.unexpected(describe(kind), `for the bracket opened at ${line}:${col}`);
    }
    this.expect(kind);
  }

  protected identifier(): Ident {
    const { kind, start, end, value } = this.scanner;
    if (kind !== 'identifier') {
      if (WORDS.has(kind)) this.fail(start, `${kind} is a keyword, not an identifier`);
      this.unexpected('identifier');
    }
    this.advance();
    return { kind: 'ident', name: value as string, start, end };
  }

  // --- depth ---

  /** One level down; the caller takes it back with `depth--`. */
  protected enter(): void {
    if (++this.depth > this.maxNesting) this.tooDeep();
  }

  /** Sets the height of the expression just built: one more than its highest part. */
  protected grow(partHeight: number): void {
    this.height = partHeight + 1;
    if (this.height + this.depth > this.maxNesting) this.tooDeep();
  }

  private tooDeep(): never {
    this.fail(
      this.scanner.start,
      `source nests too deeply or has too long a chain of operators (limit ${this.maxNesting})`,
    );
  }
}
