/** The machine as the process sees it that the agent started: its environment instead of the daemon's. */
import { type Host, machineHost } from '../../base/host.ts';
import { Declined } from './declined.ts';

/** Programs of hooks would get another environment: such a policy is not judged here. */
export function requestHost(environment: readonly string[]): Host {
  const variables: Record<string, string> = Object.create(null);
  for (const line of environment) {
    const at = line.indexOf('=');
    // As getenv finds it: the first of two.
    if (at > 0 && !(line.slice(0, at) in variables)) variables[line.slice(0, at)] = line.slice(at + 1);
  }
  return {
    ...machineHost,
    env: (name) => variables[name],
    variables: () => variables,
    run: () => Promise.reject(new Declined('a program has to be started')),
  };
}
