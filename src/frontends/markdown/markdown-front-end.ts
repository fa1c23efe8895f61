/**
 * The Markdown front end as the pipeline knows it: how its hooks see a payload, what they may say, and how their
 * failures read.
 */

import { isJsonObject } from '../../base/index.ts';
import { engineKeys, type Failure, type FrontEnd, hasLocation } from '../../engine/index.ts';
import { Dict, type ErrorKind, StarlarkError, wrapJson } from '../../starlark/index.ts';
import { interpret } from './interpret.ts';

export const markdownFrontEnd: FrontEnd = {
  name: 'markdown',
  powers: { modify: true },
  view: (event, payload, { session }, who) => {
    if (!isJsonObject(payload)) return wrapJson(payload);
    const keys = () => engineKeys(event, payload, session, who);
    // Few scripts read these keys. Where the host says on the payload where the call happens, they replace what it says.
    return Dict.view(payload, hasLocation(payload) ? keys() : keys);
  },
  interpret,
  explain,
};

const KINDS: Readonly<Record<ErrorKind, Pick<Failure, 'kind' | 'code'>>> = {
  eval: { kind: 'error', code: 'HOOK_THREW' },
  steps: { kind: 'error', code: 'HOOK_LIMIT' },
  memory: { kind: 'error', code: 'HOOK_LIMIT' },
  depth: { kind: 'error', code: 'HOOK_LIMIT' },
  intsize: { kind: 'error', code: 'HOOK_LIMIT' },
  time: { kind: 'timeout', code: 'HOOK_TIMEOUT' },
  cancelled: { kind: 'aborted', code: 'HOOK_ABORTED' },
};

function explain(thrown: unknown): Failure {
  if (!(thrown instanceof StarlarkError)) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { kind: 'error', code: 'HOOK_THREW', message };
  }
  const { position, message } = thrown;
  return {
    ...KINDS[thrown.kind],
    message,
    ...(position !== null && { position }),
    traceback: thrown.traceback,
  };
}
