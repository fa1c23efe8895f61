/**
 * What a tool reaches while it runs. Once its call is over it can no longer log or emit; a file it says it wrote was
 * written all the same, and counts.
 */
import { HarnessError, type Json } from '../../base/index.ts';
import { emitted } from '../../engine/index.ts';
import { type Host, homeFolder, type Program, type Sandbox } from '../../machine/index.ts';
import { flooredHost, type Protected, refusedStart } from '../../policy/index.ts';
import type { Tool, ToolAgent, ToolContext } from '../tool.ts';
import type { FileEdit } from './file-edits.ts';
import { fire } from './fire.ts';
import type { Scope } from './state.ts';

export interface OpenContext {
  readonly open: (signal: AbortSignal) => ToolContext;
  readonly close: () => void;
}

export function contextFor(
  scope: Scope,
  { name }: Pick<Tool, 'name'>,
  sandbox: Sandbox | null = null,
): OpenContext {
  const { host, engine, workspace, edited, guarded } = scope.state;
  const { queueEdit = (edit: FileEdit) => void edited.push(edit) } = scope;
  const guard = guarded();
  const { run } = engine;
  let isOpen = true;
  const emit = async (event: string, payload: Json): Promise<Json> => {
    if (!isOpen) throw new HarnessError('EMIT_REFUSED', `emit: the call of tool "${name}" is over`);
    if (!isCustom(event)) {
      throw new HarnessError('EMIT_REFUSED', `emit: tools may emit custom.* events only, got "${event}"`);
    }
    return emitted(await fire(scope, event, payload));
  };
  return {
    open: (signal) => ({
      host: flooredHost(host, guard === null ? undefined : startGuard(guard, host), sandbox),
      run,
      workspace,
      ...(guard !== null && { guard }),
      signal,
      log: (level, message) => {
        if (isOpen) run.logs.push({ hook: name, event: 'tool', level, message });
      },
      emit,
      fileEdited: (path, metadata) => {
        queueEdit(metadata === undefined ? { path } : { path, metadata });
      },
      agent: agentFor({ ...scope, signal }, name, () => isOpen),
    }),
    close: () => {
      isOpen = false;
    },
  };
}

/** What a tool starts by itself is judged like what it was asked to start. */
function startGuard(guard: Protected, host: Host): (program: Program, cwd: string) => string | null {
  return (program, cwd) => {
    const given = 'argv' in program ? program.argv : 'shell' in program ? program.shell : [program.script];
    return refusedStart(given, { name: '', args: {}, cwd, home: homeFolder(host) }, guard);
  };
}

function agentFor(scope: Scope, tool: string, isOpen: () => boolean): ToolAgent {
  const { powers } = scope.state;
  const whileOpen = () => {
    if (!isOpen()) throw new HarnessError('META_REFUSED', `the call of tool "${tool}" is over`);
  };
  return {
    delegate: async (request) => {
      whileOpen();
      return powers.delegate(scope, request, null);
    },
    callTool: async (name, args) => {
      whileOpen();
      return powers.callTool(scope, name, args);
    },
    register: async (kind, spec) => {
      whileOpen();
      if (powers.augmentation === null) {
        throw new HarnessError(
          'META_REFUSED',
          'this agent may not change itself: its settings say nothing of `meta`',
        );
      }
      await powers.augmentation.register(scope, kind, spec);
    },
  };
}

function isCustom(event: string): event is `custom.${string}` {
  return event.startsWith('custom.');
}
