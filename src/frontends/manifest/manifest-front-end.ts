/**
 * The harn.toml front end as the pipeline knows it. Its hooks see events and answer as Harn handlers do, whether they are
 * Starlark in the sandbox or code of the project; only how a value crosses the border differs.
 */

import type { Body, FrontEnd } from '../../engine/index.ts';
import { DecisionValue } from '../../script/index.ts';
import { Dict, StarlarkError, toJson, type Value, wrapJson } from '../../starlark/index.ts';
import { InvalidReturn } from '../code/functions/effects.ts';
import {
  HARN_OWN_SESSION_ONLY,
  handlerBody,
  harnFrontEnd,
  interpretHarn,
} from '../code/functions/functions-front-end.ts';
import { type HarnView, harnView, withTranscript } from '../code/functions/view.ts';
import { markdownFrontEnd } from '../markdown/markdown-front-end.ts';

export const FRONT_END_NAME = 'manifest';

/** For functions of a `.ts`, `.js` or `.mjs` module. */
export const codeFrontEnd: FrontEnd = { ...harnFrontEnd, name: FRONT_END_NAME };

/** For functions of a `.star` module. */
export const starFrontEnd: FrontEnd = {
  name: FRONT_END_NAME,
  ownSessionOnly: HARN_OWN_SESSION_ONLY,
  powers: codeFrontEnd.powers,
  view: (event, payload, run, who) => wrapJson(harnView(event, payload, run, who)),
  interpret: (returned, hook, event) =>
    // The constructors are in reach of every script here, so what they make is understood.
    returned instanceof DecisionValue
      ? markdownFrontEnd.interpret(returned, hook, event)
      : interpretHarn(returned, hook, event),
  explain: (thrown, hook) =>
    thrown instanceof InvalidReturn
      ? { kind: 'invalid_return', code: thrown.code, message: thrown.message }
      : markdownFrontEnd.explain(thrown, hook),
};

/** The event as plain data, from what either kind of hook sees. */
export function plainEvent(seen: unknown): unknown {
  return seen instanceof Dict ? seen.source : seen;
}

/**
 * A Starlark function as the body of a hook: it sees the conversation too, and what it returns is handed on as plain data. The
 * conversation is asked of the call, which makes it a reading on the tape: a replay gives the handler what it saw.
 */
export function starBody(script: Body): Body {
  return (seen, call) => {
    const returned = script(inSession(seen, call), call);
    return returned instanceof Promise
      ? returned.then((late) => answer(seen, late as Value, call))
      : answer(seen, returned as Value, call);
  };
}

/** None where nobody knows it: an empty one would let every guard pass that looks for something in it. */
function inSession(seen: unknown, { run: { services } }: Parameters<Body>[1]): unknown {
  const event = plainEvent(seen);
  if (!(seen instanceof Dict) || event === null) return seen;
  return Dict.view(withTranscript(event as HarnView, () => services.transcript?.() ?? null));
}

function answer(seen: unknown, returned: Value, call: Parameters<Body>[1]): unknown {
  if (returned instanceof DecisionValue) return returned;
  const data = dataOf(returned);
  return handlerBody(() => data)(plainEvent(seen), call);
}

function dataOf(returned: Value): unknown {
  try {
    return toJson(returned);
  } catch (thrown) {
    if (!(thrown instanceof StarlarkError)) throw thrown;
    throw new InvalidReturn(`what the handler returned is no data: ${thrown.message}`);
  }
}
