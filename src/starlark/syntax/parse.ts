/**
 * The parser: a file, or one expression, to its tree. It never throws and reports all mistakes at once: a statement
 * that is wrong is left out, and parsing goes on at the next line that can begin one.
 */
import type { SourceFile } from '../../base/index.ts';
import type { ArithmeticOp, Expr, FileNode, FunctionNode, If, Load, LoadBinding, Stmt } from './ast.ts';
import { Budget, OverBudget } from './budget.ts';
import { MAX_ERRORS } from './limits.ts';
import { ExpressionParser } from './parse-expression.ts';
import type { StaticError } from './static-error.ts';
import { describe, type TokenKind } from './token.ts';
import { GiveUp } from './token-reader.ts';

/** Parses a file. Where there are errors the tree lacks the statements they are in. */
export function parse(source: SourceFile, budget = new Budget()): { file: FileNode; errors: StaticError[] } {
  const none: FileNode = { body: [], start: 0, end: 0 };
  const { parsed, errors } = within(source, budget, false, (parser) => parser.file());
  return { file: parsed ?? none, errors };
}

/** Parses a text that is one expression; it may span lines as if it stood in parentheses. */
export function parseExpression(
  source: SourceFile,
  budget = new Budget(),
): { expr: Expr | null; errors: StaticError[] } {
  const { parsed, errors } = within(source, budget, true, (parser) => parser.wholeExpression());
  return { expr: parsed, errors };
}

/** What is parsed, unless the text is more than the budget allows, which is then the only error. */
function within<T>(
  source: SourceFile,
  budget: Budget,
  oneExpression: boolean,
  read: (parser: FileParser) => T,
): { parsed: T | null; errors: StaticError[] } {
  try {
    budget.checkLength(source.text.length);
    const parser = new FileParser(source, budget, oneExpression);
    const parsed = read(parser);
    return { parsed, errors: parser.errors };
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error;
    const { message, offset } = error;
    return { parsed: null, errors: [{ phase: 'parse', position: source.position(offset), message }] };
  }
}

const AUGMENTED: ReadonlyMap<TokenKind, ArithmeticOp> = new Map([
  ['+=', '+'],
  ['-=', '-'],
  ['*=', '*'],
  ['/=', '/'],
  ['//=', '//'],
  ['%=', '%'],
  ['&=', '&'],
  ['|=', '|'],
  ['^=', '^'],
  ['<<=', '<<'],
  ['>>=', '>>'],
]);

class FileParser extends ExpressionParser {
  file(): FileNode {
    const body: Stmt[] = [];
    while (!this.is('end of file')) {
      if (this.is('newline') || this.is('outdent')) this.advance();
      else this.statement(body);
    }
    return { body, start: 0, end: this.source.text.length };
  }

  wholeExpression(): Expr | null {
    try {
      const found = this.expressions();
      if (!this.is('end of file')) this.unexpected('end of expression', this.is('=') ? 'use ==' : '');
      return this.errors.length === 0 ? found : null;
    } catch (error) {
      if (!(error instanceof GiveUp)) throw error;
      return null;
    }
  }

  /** Appends the statements of one line, or one compound statement, to `into`. */
  private statement(into: Stmt[]): void {
    if (this.errors.length >= MAX_ERRORS) {
      this.scanner.finish();
      return;
    }
    const { start, level } = this.scanner;
    const { depth } = this;
    try {
      this.enter();
      this.oneStatement(into);
    } catch (error) {
      if (!(error instanceof GiveUp)) throw error;
      this.scanner.skipStatement(start, level);
    }
    this.depth = depth;
  }

  private oneStatement(into: Stmt[]): void {
    switch (this.kind) {
      case 'def':
        into.push(this.defStatement());
        break;
      case 'if':
        into.push(this.ifStatement());
        break;
      case 'for':
        into.push(this.forStatement());
        break;
      case 'while':
        into.push(this.whileStatement());
        break;
      case 'indent':
        this.report(this.scanner.start, 'unexpected indent');
        this.block(into);
        break;
      default:
        this.simpleStatements(into);
    }
  }

  // --- compound statements ---

  private defStatement(): Stmt {
    const start = this.advance();
    const ident = this.identifier();
    this.expect('(');
    const params = this.parameters();
    if (this.is(':')) this.unexpected("',' or ')'", 'type annotations are not supported');
    this.expect(')');
    if (this.is('-')) this.unexpected("':'", 'type annotations are not supported');
    this.expect(':');
    const body = this.suite();
    const end = this.lastEnd;
    const fn: FunctionNode = { name: ident.name, params, body, start, end };
    return { kind: 'def', ident, fn, start, end };
  }

  private ifStatement(): Stmt {
    const { depth } = this;
    const branches: Pick<If, 'condition' | 'then' | 'start'>[] = [];
    do {
      const start = this.advance();
      const condition = this.expression();
      this.expect(':');
      const then = this.suite();
      branches.push({ condition, then, start });
      // Each elif lies inside the one before it, so it is a level deeper.
      this.enter();
    } while (this.is('elif'));
    let otherwise: Stmt[] = [];
    if (this.accept('else')) {
      if (this.is('if')) this.unexpected("':'", 'use elif');
      this.expect(':');
      otherwise = this.suite();
    }
    this.depth = depth;
    const end = this.lastEnd;
    for (const { condition, then, start } of branches.reverse()) {
      otherwise = [{ kind: 'if', condition, then, otherwise, start, end }];
    }
    return otherwise[0]!;
  }

  private forStatement(): Stmt {
    const start = this.advance();
    const target = this.loopVariables();
    this.expect('in');
    const iterable = this.expressions();
    this.expect(':');
    const body = this.suite();
    return { kind: 'for', target, iterable, body, start, end: this.lastEnd };
  }

  private whileStatement(): Stmt {
    const start = this.advance();
    const condition = this.expression();
    this.expect(':');
    const body = this.suite();
    return { kind: 'while', condition, body, start, end: this.lastEnd };
  }

  /** What follows the colon: an indented block, or simple statements on the same line. */
  private suite(): Stmt[] {
    const body: Stmt[] = [];
    if (this.accept('newline')) {
      if (!this.is('indent')) this.unexpected('indent');
      this.block(body);
    } else {
      this.simpleStatements(body);
    }
    return body;
  }

  private block(into: Stmt[]): void {
    this.advance();
    // Blank lines and the outdent are no part of the last statement's text.
    let end = this.lastEnd;
    while (!this.is('outdent') && !this.is('end of file')) {
      this.statement(into);
      end = into.at(-1)?.end ?? end;
    }
    this.accept('outdent');
    this.lastEnd = end;
  }

  // --- simple statements ---

  private simpleStatements(into: Stmt[]): void {
    for (;;) {
      into.push(this.simpleStatement());
      if (!this.accept(';') || this.is('newline') || this.is('end of file')) break;
    }
    const end = this.lastEnd;
    if (!this.is('end of file')) {
      if (!this.is('newline')) this.unexpected('newline', this.noteAfterStatement());
      this.advance();
    }
    this.lastEnd = end;
  }

  private noteAfterStatement(): string {
    if (this.is(':')) return 'type annotations are not supported';
    if (this.is('=') || AUGMENTED.has(this.kind)) return 'one assignment to a statement';
    return '';
  }

  private simpleStatement(): Stmt {
    const { kind } = this;
    switch (kind) {
      case 'return': {
        const start = this.advance();
        const ends = this.is('end of file') || this.is('newline') || this.is(';');
        const value = ends ? null : this.expressions();
        return { kind, value, start, end: this.lastEnd };
      }
      case 'break':
      case 'continue':
      case 'pass': {
        const start = this.advance();
        return { kind, start, end: this.lastEnd };
      }
      case 'load':
        return this.loadStatement();
      default:
        return this.assignmentOrExpression();
    }
  }

  private assignmentOrExpression(): Stmt {
    const left = this.expressions();
    const { start } = left;
    if (this.is('=')) {
      const target = this.target(left);
      const opStart = this.advance();
      const value = this.expressions();
      return { kind: 'assign', target, opStart, value, start, end: value.end };
    }
    const op = AUGMENTED.get(this.kind);
    if (op === undefined) return { kind: 'expr', value: left, start, end: left.end };
    const opStart = this.advance();
    const value = this.expressions();
    let target = left;
    while (target.kind === 'paren') target = target.inner;
    if (target.kind === 'ident' || target.kind === 'index' || target.kind === 'dot') {
      return { kind: 'augAssign', target, op, opStart, value, start, end: value.end };
    }
    if (target.kind === 'list' || target.kind === 'tuple') {
      this.report(start, `can't use ${target.kind} expression in augmented assignment`);
    } else {
      this.target(target);
    }
    return { kind: 'expr', value, start, end: value.end };
  }

  private loadStatement(): Load {
    const start = this.advance();
    const open = this.expect('(');
    const { start: moduleStart, value: module } = this.scanner;
    if (!this.is('string literal')) {
      this.fail(moduleStart, 'first operand of load statement must be a string literal');
    }
    this.advance();
    const bindings: LoadBinding[] = [];
    while (!this.is(')')) {
      if (this.is('end of file')) this.expect(')');
      this.expect(',');
      if (this.is(')')) break;
      bindings.push(this.loadBinding());
    }
    this.advance();
    if (bindings.length === 0) this.fail(open, 'load statement must import at least 1 symbol');
    return { kind: 'load', module: module as string, moduleStart, bindings, start, end: this.lastEnd };
  }

  /** `"name"` or `local="name"`. */
  private loadBinding(): LoadBinding {
    const { kind, start, end, value } = this.scanner;
    if (kind === 'string literal') {
      const name = value as string;
      this.advance();
      return { from: name, ident: { kind: 'ident', name, start, end }, start, end };
    }
    if (kind !== 'identifier') {
      this.fail(start, `load operand must be "name" or localname="name" (got ${describe(kind)})`);
    }
    const ident = this.identifier();
    const { name } = ident;
    if (!this.accept('=')) {
      const want = `(want '=' after ${name})`;
      this.fail(this.scanner.start, `load operand must be "${name}" or ${name}="originalname" ${want}`);
    }
    const from = this.scanner.value as string;
    if (!this.is('string literal')) {
      this.fail(this.scanner.start, `original name of loaded symbol must be quoted: ${name}="originalname"`);
    }
    this.advance();
    return { from, ident, start, end: this.lastEnd };
  }
}
