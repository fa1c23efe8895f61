/** Answers to Codex. Its schemas refuse unknown keys and bare allows, and a block without a reason is no block. */
import { answererOf, type Dialect, hookSpecificAnswer } from '../answers.ts';
import { NativeReader } from '../read-native.ts';
import type { ToolSet } from '../tool-forms.ts';
import { toolIn } from './read.ts';

const BLOCKS: Readonly<Record<string, Dialect['block']>> = {
  'tool.pre': (row, reason) =>
    hookSpecificAnswer(row, {}, { permissionDecision: 'deny', permissionDecisionReason: reason }),
  'permission.asked': (row, reason) =>
    hookSpecificAnswer(row, {}, { decision: { behavior: 'deny', message: reason } }),
};

const DIALECT: Dialect = {
  block: (row, reason) => BLOCKS[row.event]?.(row, reason) ?? { decision: 'block', reason },
  // An input is taken only together with an allow.
  input: (row, input) => hookSpecificAnswer(row, {}, { permissionDecision: 'allow', updatedInput: input }),
  // The reason of a block is all that the model reads; an empty one would be no block.
  output: (_row, text) => ({ decision: 'block', reason: text.trim() === '' ? '(no output)' : text }),
  context: (row, answer, text) => hookSpecificAnswer(row, answer, { additionalContext: text }),
  tool: (native) => toolIn(native, new NativeReader(native)),
};

export const answerer = (set: ToolSet) => answererOf(set, DIALECT);
