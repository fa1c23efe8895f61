/**
 * `log`: one line about the event in the log of the run.
 */
import type { HookContext } from '../../code/registry/context.ts';
import { DONE } from '../profile-front-end.ts';
import { LOG_MS } from '../schema.ts';
import { summary } from '../summary.ts';
import type { Action } from './action.ts';

export const log: Action<'log'> = ({ fields }) => {
  const { level = 'info' } = fields.data;
  return {
    description: `Logs names and sizes (${level}).`,
    timeoutMs: LOG_MS,
    condition: null,
    body: (seen, call) => {
      call.log(level, summary(seen as HookContext));
      return DONE;
    },
  };
};
