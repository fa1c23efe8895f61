/**
 * What every check looks at: the tree of one script with what is known of it, and a way to say what is wrong.
 */
import type { ErrorCode } from '../../base/index.ts';
import type { EventSpec } from '../../engine/index.ts';
import type { Expr, FunctionNode } from '../../starlark/index.ts';
import type { Finding, ToolMention, WrittenScript } from './finding.ts';
import type { TypeOfExpr } from './types.ts';
import type { ProgramUses } from './uses.ts';

export interface CheckContext {
  readonly script: WrittenScript;
  /** The expression of a condition; null for a file. */
  readonly condition: Expr | null;
  /** The function that is called, if the script defines it with `def`. */
  readonly entry: FunctionNode | null;
  readonly spec: EventSpec | null;
  readonly event: string;
  readonly uses: ProgramUses;
  readonly typeOf: TypeOfExpr;
  readonly say: (severity: Finding['severity'], code: ErrorCode, message: string, offset: number) => void;
  readonly mention: (tool: string, offset: number) => ToolMention;
}

/** The text of a part of the script, as its author wrote it. */
export function written({ script }: CheckContext, { start, end }: { start: number; end: number }): string {
  return script.source.text.slice(start, end);
}
