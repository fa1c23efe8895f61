/**
 * What the policy said, in the words of Claude Code. An allow is silence. A rewrite carries no `permissionDecision`: that
 * would be an approval, and would take the permission prompt from the user.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { Answer, EventRow, NativeCall, Verdict } from '../adapter.ts';
import { toNativeInput } from '../tools.ts';
import { withText } from './result.ts';
import { TOOLS } from './tools.ts';

const SILENCE: Answer = { stdout: '', stderr: '', exitCode: 0 };

export function answer(row: EventRow, call: NativeCall | null, verdict: Verdict): Answer {
  const { native } = row;
  const message: JsonObject = verdict.message === null ? {} : { systemMessage: verdict.message };
  switch (verdict.action) {
    case 'block':
      return BLOCKS[native]?.(verdict.reason, message, call) ?? SILENCE;
    case 'ask':
      return hookSpecificOutput(native, message, {
        permissionDecision: 'ask',
        permissionDecisionReason: verdict.reason,
        ...(verdict.payloads !== undefined && rewritten(native, call!, verdict.payloads[0]!)),
      });
    case 'modify': {
      const context: JsonObject = verdict.context === null ? {} : { additionalContext: verdict.context };
      return hookSpecificOutput(native, message, {
        ...context,
        ...rewritten(native, call!, verdict.payloads[0]!),
      });
    }
    case 'allow':
      if (verdict.context !== null)
        return hookSpecificOutput(native, message, { additionalContext: verdict.context });
      return verdict.message === null ? SILENCE : json(message);
  }
}

type Block = (reason: string, message: JsonObject, call: NativeCall | null) => Answer;

const decision: Block = (reason, message) => json({ decision: 'block', reason, ...message });

const BLOCKS: Readonly<Record<string, Block>> = {
  PreToolUse: (reason, message) =>
    hookSpecificOutput('PreToolUse', message, {
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    }),
  PermissionRequest: (reason, message) =>
    hookSpecificOutput('PermissionRequest', message, { decision: { behavior: 'deny', message: reason } }),
  PostToolUse: hidden,
  PostToolBatch: ends,
  UserPromptSubmit: decision,
  UserPromptExpansion: decision,
  ConfigChange: decision,
  Elicitation: exitTwo,
  ElicitationResult: exitTwo,
  Stop: decision,
  SubagentStop: decision,
  PreCompact: exitTwo,
  TaskCreated: exitTwo,
  TaskCompleted: exitTwo,
  TeammateIdle: exitTwo,
};

/** For events whose JSON has no place for a reason. */
function exitTwo(reason: string): Answer {
  return { stdout: '', stderr: reason, exitCode: 2 };
}

/** Without the result there is no shape to put the reason in: then the run ends before the model reads it. */
function hidden(reason: string, message: JsonObject, call: NativeCall | null): Answer {
  const response = call?.native.tool_response;
  if (response === undefined) return ends(reason, message);
  return hookSpecificOutput('PostToolUse', message, { updatedToolOutput: withText(response, reason) });
}

function ends(reason: string, message: JsonObject): Answer {
  return json({ continue: false, stopReason: reason, ...message });
}

function rewritten(native: string, { native: sent }: NativeCall, payload: JsonObject | string): JsonObject {
  if (!isJsonObject(payload)) return {};
  if (native === 'PostToolUse') {
    const { content } = payload;
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    return { updatedToolOutput: withText(sent.tool_response as Json, text) };
  }
  const { tool_name: tool, tool_input: input } = sent;
  return {
    updatedInput: toNativeInput(TOOLS, String(tool), input as JsonObject, payload.args as JsonObject),
  };
}

function hookSpecificOutput(hookEventName: string, beside: JsonObject, said: JsonObject): Answer {
  return json({ ...beside, hookSpecificOutput: { hookEventName, ...said } });
}

function json(value: JsonObject): Answer {
  return { ...SILENCE, stdout: JSON.stringify(value) };
}
