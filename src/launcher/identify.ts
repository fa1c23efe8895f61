/** An id for calls of agents that name none: the same one when the call is made and when its result is there. */

import { closeCall, type NativeCall, openCall } from '../agents/index.ts';
import { canonicalJson, isJsonObject, type Json, sha256Hex } from '../base/index.ts';
import type { RunArea } from '../engine/index.ts';
import type { LaunchProblem } from './problem.ts';

const ID_KEY: Readonly<Record<string, string>> = { 'tool.pre': 'id', 'tool.post': 'call_id' };

export interface Identified {
  readonly call: NativeCall;
  /** The agent did not name the call. */
  readonly paired: boolean;
}

export async function identified(call: NativeCall, area: RunArea): Promise<Identified | LaunchProblem> {
  const key = ID_KEY[call.row.event];
  if (call.callId !== null || key === undefined || call.payloads.length === 0) return { call, paired: false };
  const digest = sha256Hex(canonicalJson(call.payloads.map(nativeOf)));
  const id = await (key === 'id' ? openCall(area, digest) : closeCall(area, digest));
  if (!id.ok) return { problem: id.error.message };
  const many = call.payloads.length > 1;
  const payloads = call.payloads.map((payload, i) =>
    isJsonObject(payload) ? { ...payload, [key]: many ? `${id.value}.${i}` : id.value } : payload,
  );
  return { call: { ...call, callId: id.value, payloads }, paired: true };
}

/** As the agent put it, since a policy may have rewritten the rest; the tool by its common name, which lines of two agents share. */
function nativeOf(payload: Json): Json {
  if (!isJsonObject(payload)) return payload;
  const { native = null, name = null, args = null } = payload;
  return [name, isJsonObject(native) ? (native.input ?? native) : args];
}
