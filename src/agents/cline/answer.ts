/** Answers to Cline: only `cancel` in JSON blocks. */
import { answererOf, type Dialect } from '../answers.ts';
import type { ToolSet } from '../tool-forms.ts';
import { toolIn } from './read.ts';

const DIALECT: Dialect = {
  block: (_row, reason) => ({ cancel: true, errorMessage: reason }),
  input: (_row, input) => ({ cancel: false, overrideInput: input }),
  context: (_row, answer, text) => ({ cancel: false, ...answer, contextModification: text }),
  tool: (native) => toolIn(native) ?? { id: null, name: '', input: null },
};

export const answerer = (set: ToolSet) => answererOf(set, DIALECT);
