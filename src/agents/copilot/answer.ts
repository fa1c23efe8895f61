/** Answers to Copilot CLI: flat objects. An exit code would block as well, but the model would not read why. */
import type { JsonObject } from '../../base/index.ts';
import { answererOf, type Dialect } from '../answers.ts';
import { NativeReader } from '../read-native.ts';
import type { ToolSet } from '../tool-forms.ts';
import { toolIn } from './read.ts';

const DIALECT: Dialect = {
  block(row, reason): JsonObject {
    if (row.event === 'tool.pre') return { permissionDecision: 'deny', permissionDecisionReason: reason };
    if (row.event === 'turn.start') return { modifiedPrompt: refused(reason) };
    if (row.event === 'permission.asked') return { behavior: 'deny', message: reason };
    return { decision: 'block', reason };
  },
  ask: (_row, reason) => ({ permissionDecision: 'ask', permissionDecisionReason: reason }),
  input: (_row, input) => ({ permissionDecision: 'allow', modifiedArgs: input }),
  output: (_row, text) => ({ modifiedResult: { resultType: 'success', textResultForLlm: text } }),
  prompt: (_row, text) => ({ modifiedPrompt: text }),
  context: (_row, answer, text) => ({ ...answer, additionalContext: text }),
  tool: (native) => toolIn(native, new NativeReader(native)),
};

/** What the model reads in place of the prompt. */
function refused(reason: string): string {
  return `A policy refused what the user wrote. Do nothing but tell the user why: ${reason}`;
}

export const answerer = (set: ToolSet) => answererOf(set, DIALECT);
