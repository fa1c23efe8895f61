/** Answers to Gemini CLI: a deny with its reason stands at the top, what is rewritten below `hookSpecificOutput`. */
import { answererOf, type Dialect, hookSpecificAnswer } from '../answers.ts';
import { NativeReader } from '../read-native.ts';
import type { ToolSet } from '../tool-forms.ts';
import { toolIn } from './read.ts';

const DIALECT: Dialect = {
  block: (_row, reason) => ({ decision: 'deny', reason }),
  stays: ['description'],
  input: (row, input) => hookSpecificAnswer(row, {}, { tool_input: input }),
  output: (_row, text) => ({ decision: 'deny', reason: text.trim() === '' ? '(no output)' : text }),
  context: (row, answer, text) => hookSpecificAnswer(row, answer, { additionalContext: text }),
  message: (answer, text) => ({ ...answer, systemMessage: text }),
  tool: (native) => toolIn(native, new NativeReader(native)),
};

export const answerer = (set: ToolSet) => answererOf(set, DIALECT);
