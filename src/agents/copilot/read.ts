/** Payloads of Copilot CLI: camelCase, without the name of the event and without a call id. */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { EventRow, ToolRow } from '../adapter.ts';
import { patchForm } from '../apply-patch.ts';
import { eventReaderOf, optionalText, subAgentIn, texts, withSession } from '../read-event.ts';
import type { NativeReader } from '../read-native.ts';
import { afterTool, beforeTool, type NativeTool } from '../tool-events.ts';
import { isNotACall, type ToolSet } from '../tool-forms.ts';

export function toolSet(tools: readonly ToolRow[]): ToolSet {
  return { tools, forms: { apply_patch: patchForm('input') } };
}

export function toolIn(native: JsonObject, fields: NativeReader): NativeTool {
  return { id: null, name: fields.text('toolName'), input: native.toolArgs ?? null };
}

export function reader(rows: readonly EventRow[], set: ToolSet) {
  return eventReaderOf({
    rows,
    named: (native) => optionalText(native, 'hookName'),
    source: (native, fields) => ({
      session: fields.text('sessionId'),
      cwd: optionalText(native, 'cwd'),
      transcript: optionalText(native, 'transcriptPath'),
      subAgent: isOfSubAgent(native) ? subAgentIn(native, 'agentId', 'agentType') : null,
    }),
    readers: {
      sessionStart: withSession({ source: 'source' }),
      sessionEnd: withSession({ reason: 'reason' }),
      preCompact: withSession({ trigger: 'trigger' }),
      userPromptSubmitted: (_native, fields) => ({ payloads: [fields.text('prompt')] }),
      preToolUse: (native, fields, session) => beforeTool(set, toolIn(native, fields), session),
      postToolUse: (native, fields, session) =>
        afterTool(set, toolIn(native, fields), resultIn(native.toolResult ?? null), session),
      postToolUseFailure: (native, fields, session) =>
        afterTool(
          set,
          toolIn(native, fields),
          { output: native.error ?? native.toolResult ?? '', isError: true },
          session,
        ),
      permissionRequest: (native, fields, session) => {
        const input = questionInput(native.toolInput ?? null);
        const asked = beforeTool(set, { id: null, name: fields.text('toolName'), input }, session);
        return isNotACall(asked) ? asked : { payloads: asked.payloads };
      },
      // The last message stands in its transcript only.
      agentStop: (native) => ({
        payloads: isOfSubAgent(native)
          ? []
          : [{ response: '', ...texts(native, { stopReason: 'finish_reason' }) }],
      }),
      subagentStop: (native, _fields, session) => ({
        payloads: [
          {
            session_id: session,
            agent: 'agent',
            result: '',
            ...texts(native, { agentId: 'id', agentName: 'agent', response: 'result' }),
          },
        ],
      }),
      errorOccurred: (native, _fields, session) => {
        const { error } = native;
        const message = isJsonObject(error) ? optionalText(error, 'message') : null;
        return { payloads: [{ message: message ?? 'the run failed', session_id: session }] };
      },
    },
  });
}

/** A question about a file has its path under another name than the call, and a diff instead of its texts. */
function questionInput(input: Json): Json {
  if (!isJsonObject(input) || typeof input.file_path !== 'string' || input.path !== undefined) return input;
  const { file_path: path, ...rest } = input;
  return { ...rest, path };
}

/** A command that failed is a success whose text ends with its exit code. */
function resultIn(result: Json) {
  if (!isJsonObject(result)) return { output: result, isError: null };
  const output = result.textResultForLlm ?? '';
  const exit = /<shellId: \S+ completed with exit code (?!0>)-?\d+>\s*$/.test(
    typeof output === 'string' ? output : '',
  );
  return { output, isError: exit || (result.resultType !== undefined && result.resultType !== 'success') };
}

function isOfSubAgent(native: JsonObject): boolean {
  return optionalText(native, 'parentAgentId') !== null;
}
