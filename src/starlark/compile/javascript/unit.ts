/**
 * What one generated program collects while it is written: its constants, the runtime helpers it names, and
 * the text. No text of the script ever becomes text of the program: names are numbered, values travel in the
 * table K.
 */
import type { SourceFile } from '../../../base/index.ts';
import type { Binding, FunctionScope } from '../../resolve/binding.ts';
import { Builtin, Method } from '../../run/signature.ts';
import type { Expr } from '../../syntax/ast.ts';
import type { Budget } from '../../syntax/budget.ts';
import type { Callable } from '../../values/value.ts';
import type { Analysis, FunctionInfo } from '../analyze.ts';
import type { TranslationInput } from '../back-end.ts';
import { type Code, codeOf } from '../code.ts';
import type { Coverage } from '../coverage.ts';
import type { Runtime } from '../runtime.ts';
import { operands } from '../walk.ts';

/**
 * Beyond this height an expression is broken up into statements, so that the host's own parser is never near
 * its limit.
 */
const MAX_HEIGHT = 16;

/**
 * How much text one program may become, how many functions may stand inside one another, and how many
 * variables and temporaries one may have: the host takes its time over more, or refuses it. Nobody writes such
 * programs by hand, and the other back end takes them. Text counts again for each expression around it.
 */
const MAX_TEXT = 1 << 24;
const MAX_FUNCTION_DEPTH = 64;
const MAX_VARIABLES = 1 << 13;

/** Thrown where a program is too much for this back end. */
export class TooMuchCode extends Error {}

export class Unit {
  readonly source: SourceFile;
  readonly analysis: Analysis;
  readonly coverage: Coverage | null;
  readonly budget: Budget;
  /** The table K. Anything at all: values, code objects, names. */
  readonly constants: unknown[] = [];
  private readonly constantNames = new Map<unknown, string>();
  private readonly helpers = new Set<keyof Runtime>();
  private readonly codes = new Map<FunctionInfo, Code>();
  private readonly scopeIds = new Map<FunctionScope, number>();
  private readonly heights = new Map<Expr, number>();
  private written = 0;
  private functionDepth = 0;

  constructor({ source, analysis, coverage, budget }: TranslationInput) {
    this.source = source;
    this.analysis = analysis;
    this.coverage = coverage;
    this.budget = budget;
  }

  /** Counts text that was written. */
  count(text: string): string {
    if ((this.written += text.length) > MAX_TEXT) throw new TooMuchCode();
    return text;
  }

  /** Writes what stands inside one more function. */
  nested<T>(write: () => T): T {
    if (++this.functionDepth > MAX_FUNCTION_DEPTH) throw new TooMuchCode();
    const result = write();
    this.functionDepth--;
    return result;
  }

  /** What one function declares. */
  declaration(names: readonly string[]): string {
    if (names.length > MAX_VARIABLES) throw new TooMuchCode();
    return `let ${names.join(', ')};`;
  }

  constant(value: unknown): string {
    let name = this.constantNames.get(value);
    if (name === undefined) {
      name = `k${this.constants.length}`;
      this.constants.push(value);
      this.constantNames.set(value, name);
    }
    return name;
  }

  /** The fast entrance of a callable known now: of one of ours, the one that wants every parameter. */
  direct(callable: Callable | Method): string {
    const isOurs = callable instanceof Builtin || callable instanceof Method;
    return this.constant(isOurs ? callable.full : callable.direct);
  }

  helper(name: keyof Runtime): string {
    this.helpers.add(name);
    return `r_${name}`;
  }

  variable(binding: Binding): string {
    if (binding.kind === 'global') return `g${binding.index}`;
    let id = this.scopeIds.get(binding.owner!);
    if (id === undefined) this.scopeIds.set(binding.owner!, (id = this.scopeIds.size));
    return `v${id}_${binding.index}`;
  }

  code(info: FunctionInfo): Code {
    let code = this.codes.get(info);
    if (code === undefined) this.codes.set(info, (code = codeOf(info, this.source)));
    return code;
  }

  functionName(info: FunctionInfo): string {
    return `f${info.id}`;
  }

  /** The declarations all functions of the program share. */
  prologue(): string {
    const lines = [
      ...[...this.helpers].map((name) => `r_${name} = R.${name}`),
      ...this.constants.map((_, i) => `k${i} = K[${i}]`),
    ];
    return lines.length === 0 ? '' : `const ${lines.join(',\n  ')};\n`;
  }

  /** Part of the expression has to be written as statements: it loops, or it is too high. */
  needsLines(e: Expr): boolean {
    return this.height(e) >= MAX_HEIGHT;
  }

  /** The value of the expression goes to a temporary, so that what stands around it starts low again. */
  breaksHere(e: Expr): boolean {
    const height = this.height(e);
    return height >= MAX_HEIGHT && height % MAX_HEIGHT === 0;
  }

  /** Levels of operands. A comprehension counts as high, because it is a loop. */
  private height(e: Expr): number {
    let height = this.heights.get(e);
    if (height === undefined) {
      height = e.kind === 'comprehension' ? MAX_HEIGHT : 0;
      for (const part of operands(e)) height = Math.max(height, this.height(part) + 1);
      this.heights.set(e, height);
    }
    return height;
  }
}
