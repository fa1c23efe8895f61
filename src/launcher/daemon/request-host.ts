/** The machine as the process sees it that the agent started: its environment instead of the daemon's, also for programs of hooks. */

import { type Host, machineHost, runProcess } from '../../machine/index.ts';

export function requestHost(environment: readonly string[]): Host {
  const variables: Record<string, string> = Object.create(null);
  for (const line of environment) {
    const at = line.indexOf('=');
    // As getenv finds it: the first of two.
    if (at > 0 && !(line.slice(0, at) in variables)) variables[line.slice(0, at)] = line.slice(at + 1);
  }
  return {
    ...machineHost,
    // A process that lives on has the module loaded; without it every id opens the system's source of them.
    uuid: () => process.getBuiltinModule('node:crypto').randomUUID(),
    env: (name) => variables[name],
    variables: () => variables,
    run: async (request, signal) => runProcess(request, signal, variables),
  };
}
