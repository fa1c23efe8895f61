/** Answers to Cursor, as it documents them. */
import type { JsonObject } from '../../base/index.ts';
import type { EventRow } from '../adapter.ts';
import { answererOf, type Dialect } from '../answers.ts';
import { NativeReader } from '../read-native.ts';
import type { ToolSet } from '../tool-forms.ts';
import { toolIn } from './read.ts';

const BLOCKS: Readonly<Record<string, (reason: string) => JsonObject>> = {
  'tool.pre': (reason) => ({ permission: 'deny', agent_message: reason }),
  'turn.start': () => ({ continue: false }),
  'agent.stop': (reason) => ({ followup_message: reason }),
};

const DIALECT: Dialect = {
  block: ({ event }: EventRow, reason) => BLOCKS[event]!(reason),
  input: (_row, input) => ({ permission: 'allow', updated_input: input }),
  context: (_row, answer, text) => ({ ...answer, additional_context: text }),
  message: (answer, text) => ({ ...answer, user_message: text }),
  tool: (native) => toolIn(native, new NativeReader(native)),
};

export const answerer = (set: ToolSet) => answererOf(set, DIALECT);
