/**
 * Profiles in temporary folders, read and run with an environment of the test's own.
 */

import type { Json } from '../../src/base/json.ts';
import { RunState } from '../../src/engine/run-state.ts';
import { profileReaderWith } from '../../src/frontends/profile/profile-reader.ts';
import { loadProject, type Project } from '../../src/frontends/project.ts';
import { type Host, machineHost } from '../../src/machine/host.ts';
import { type Fired, fire, tempProject } from './temp-project.ts';

type Variables = Readonly<Record<string, string>>;

export interface Profile {
  readonly dir: string;
  readonly project: Project;
  /** `message` of every problem, with its severity in front. */
  readonly told: readonly string[];
  readonly fire: (event: string, payload: Json, run?: RunState) => Promise<Fired>;
}

export const CALL = { id: '1', name: 'send_email', args: { to: 'a@example.com' }, turn: 2 };

/** A profile whose agent.json is this text, or has these hooks. */
export async function profileOf(
  written: string | Readonly<Record<string, unknown>>,
  { env = {}, path = 'agent.json', host = {} } = {} as {
    env?: Variables;
    path?: string;
    host?: Partial<Host>;
  },
): Promise<Profile> {
  const text = typeof written === 'string' ? written : JSON.stringify({ name: 'shop', hooks: written });
  const dir = tempProject({ [path]: text });
  const machine: Host = { ...machineHost, env: (name) => env[name], ...host };
  const project = await loadProject(dir, { readers: [profileReaderWith(machine)] });
  return {
    dir,
    project,
    told: project.problems.map(({ severity, message }) => `${severity}: ${message}`),
    fire: (event, payload, run = new RunState()) => fire(project, event, payload, { host: machine, run }),
  };
}
