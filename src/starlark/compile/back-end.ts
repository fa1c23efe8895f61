/**
 * What a back end is: it turns a resolved and analysed tree into functions that run it.
 */
import type { SourceFile } from '../../base/index.ts';
import type { Thread } from '../run/thread.ts';
import type { FileNode, FunctionNode } from '../syntax/ast.ts';
import type { Budget } from '../syntax/budget.ts';
import type { PositionalFn, Value } from '../values/value.ts';
import type { Analysis } from './analyze.ts';
import type { Coverage } from './coverage.ts';
import type { Loaded } from './runtime.ts';

export interface TranslationInput {
  readonly source: SourceFile;
  readonly analysis: Analysis;
  readonly coverage: Coverage | null;
  readonly budget: Budget;
}

/** The values of the module's globals, in the order of its scope; undefined where one was never bound. */
export type Globals = readonly (Value | undefined)[];

/** Runs the top level once, in a scope of its own. */
export type Execute = (thread: Thread, loaded: Loaded) => Globals | Promise<Globals>;

export interface BackEnd {
  file(input: TranslationInput, file: FileNode): Execute;
  /** A function that stands alone, such as an expression over parameters. */
  expression(input: TranslationInput, fn: FunctionNode): PositionalFn;
}
