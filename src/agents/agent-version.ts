/** The version of an installed agent, from the package its program belongs to. No agent is started to find out. */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject } from '../base/index.ts';
import type { CodingAgent } from './coding-agent.ts';

/** Null if it is not on the PATH or not from a package. */
export function agentVersion(agent: CodingAgent, path: string): string | null {
  const file = programOf(agent, path);
  return file === null ? null : versionAbove(file, agent.packages);
}

/** The program of an agent, where it really stands; null if it is not on the PATH. */
export function programOf({ programs: [program] }: CodingAgent, path: string): string | null {
  for (const folder of path.split(':').filter((part) => part.startsWith('/'))) {
    try {
      return realpathSync(join(folder, program));
    } catch {
      // Not in this one.
    }
  }
  return null;
}

function versionAbove(file: string, packages: readonly string[]): string | null {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const value: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (isJsonObject(value) && packages.includes(String(value.name)) && typeof value.version === 'string') {
        return value.version;
      }
    } catch {
      // Not here: the package is further up.
    }
  }
  return null;
}
