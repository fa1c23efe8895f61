/** Answers to Qwen Code, in the dialect of Claude Code as far as it was seen to be read. */
import { answererOf, type Dialect, hookSpecificAnswer } from '../answers.ts';
import { NativeReader } from '../read-native.ts';
import type { ToolSet } from '../tool-forms.ts';
import { toolIn } from './read.ts';

const DIALECT: Dialect = {
  block: (row, reason) =>
    row.event === 'tool.pre'
      ? hookSpecificAnswer(row, {}, { permissionDecision: 'deny', permissionDecisionReason: reason })
      : { decision: 'block', reason },
  ask: (row, reason) =>
    hookSpecificAnswer(row, {}, { permissionDecision: 'ask', permissionDecisionReason: reason }),
  context: (row, answer, text) => hookSpecificAnswer(row, answer, { additionalContext: text }),
  tool: (native) => toolIn(native, new NativeReader(native)),
};

export const answerer = (set: ToolSet) => answererOf(set, DIALECT);
