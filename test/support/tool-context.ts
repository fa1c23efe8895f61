/**
 * What a tool is given by a session, for tests that run tools without one.
 */

import type { ToolContext } from '../../src/agent/tool.ts';
import type { Json } from '../../src/base/json.ts';
import { RunState } from '../../src/engine/run-state.ts';
import { type Host, machineHost } from '../../src/machine/host.ts';

export interface Recorded {
  readonly context: ToolContext;
  readonly edited: string[];
  readonly logs: string[];
  readonly emitted: { readonly event: string; readonly payload: Json }[];
  readonly abort: (reason?: unknown) => void;
}

export function toolContext(workspace: string, host: Host = machineHost): Recorded {
  const controller = new AbortController();
  const edited: string[] = [];
  const logs: string[] = [];
  const emitted: { event: string; payload: Json }[] = [];
  const context: ToolContext = {
    host,
    run: new RunState(),
    workspace,
    signal: controller.signal,
    log: (level, message) => logs.push(`${level}: ${message}`),
    emit: async (event, payload) => {
      emitted.push({ event, payload });
      if (event === 'custom.refused') throw new Error('not today');
      return payload;
    },
    fileEdited: (path) => edited.push(path),
  };
  return { context, edited, logs, emitted, abort: (reason) => controller.abort(reason) };
}
