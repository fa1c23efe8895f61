/** Answers to our own extension in pi. */
import { answererOf, type Dialect } from '../answers.ts';
import type { ToolSet } from '../tool-forms.ts';
import { toolIn } from './read.ts';

const DIALECT: Dialect = {
  block: (_row, reason) => ({ block: reason }),
  input: (_row, input) => ({ args: input }),
  output: (_row, text) => ({ output: text }),
  prompt: (_row, text) => ({ prompt: text }),
  context: (_row, answer, text) => ({ ...answer, context: text }),
  tool: (native) => toolIn(native) ?? { id: null, name: '', input: null },
};

export const answerer = (set: ToolSet) => answererOf(set, DIALECT);
