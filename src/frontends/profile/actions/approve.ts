/**
 * `approve`: a tool call waits until a person has said yes. No channel to ask on, a channel that fails, an answer that is
 * none and nobody answering in time all mean no.
 */
import { HarnessError, isLiteral, type JsonObject } from '../../../base/index.ts';
import { type Approval, type Condition, type HookCall, indexNames, toolGlob } from '../../../engine/index.ts';
import { canStop, type HookContexts } from '../../code/registry/context.ts';
import { DONE, denied } from '../profile-front-end.ts';
import { APPROVAL_GRACE_MS } from '../schema.ts';
import type { Action } from './action.ts';

export const approve: Action<'approve'> = ({ fields, path, event, approvalMs }) => {
  if (!canStop(event)) {
    const message = `${path}: approve belongs into onToolCall: nothing else waits for an answer`;
    fields.wrong('HOOK_CONFIG', message, fields.get('action')!.start);
    return null;
  }
  const tools = fields.data.tools ?? [];
  const blank = tools.findIndex((tool) => tool.trim() === '');
  if (blank !== -1) {
    const message = `${path}.tools[${blank}]: wanted the name of a tool or a glob, got an empty one`;
    fields.wrong('FIELD_TYPE', message, fields.get('tools')!.start);
    return null;
  }
  return {
    description: 'Waits for a person to approve the call.',
    timeoutMs: approvalMs + APPROVAL_GRACE_MS,
    condition: toolsCondition(tools),
    body: async (seen, call) => {
      const { toolName, toolInput } = seen as HookContexts['tool.pre'];
      const channel = call.run.services.approvals;
      if (channel === null) {
        return denied(`${toolName} needs the approval of a person, and no person can be asked here`);
      }
      const request = {
        hook: call.hook.name,
        event: call.event,
        toolName,
        toolInput: toolInput as JsonObject,
        windowMs: approvalMs,
      };
      const { approved, reason } = checked(await ask(() => channel.request(request, signalOf(call))));
      if (approved) return DONE;
      return denied(reason?.trim() || `a person did not approve ${toolName}`);
    },
  };
};

async function ask(request: () => Promise<Approval>): Promise<unknown> {
  try {
    return await request();
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new HarnessError('APPROVAL_FAILED', `the approval channel failed: ${why}`);
  }
}

function checked(answer: unknown): Approval {
  const { approved, reason } = (answer ?? {}) as Partial<Record<keyof Approval, unknown>>;
  if (typeof approved !== 'boolean') {
    throw new HarnessError('APPROVAL_FAILED', 'the approval channel answered neither yes nor no');
  }
  return { approved, ...(typeof reason === 'string' && { reason }) };
}

function signalOf(call: HookCall): AbortSignal {
  return call.signal ?? new AbortController().signal;
}

/** No tools named: every call. */
function toolsCondition(tools: readonly string[]): Condition | null {
  if (tools.length === 0) return null;
  const globs = tools.map((tool) => toolGlob(dotted(tool)));
  return {
    text: `tool is ${tools.join(' or ')}`,
    test: (seen, { toolNames }) => {
      const { toolName } = seen as HookContexts['tool.pre'];
      return globs.some((glob) => glob(toolNames ?? { name: toolName, own: null }));
    },
    ...(tools.every(isPlain) && { indexable: { key: 'name', values: indexNames(tools) } }),
  };
}

function isPlain(tool: string): boolean {
  return isLiteral(tool) && !tool.includes('.');
}

/** Some models are given tool names with `_` where the tool has a `.`: a guard for the one must hold for the other. */
function dotted(glob: string): string {
  let inside = false;
  let written = '';
  for (const char of glob) {
    written += char === '.' && !inside ? '[._]' : char;
    if (char === '[') inside = glob.includes(']');
    else if (char === ']') inside = false;
  }
  return written;
}
