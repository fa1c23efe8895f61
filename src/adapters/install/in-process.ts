/** OpenCode and pi: a file of ours that the agent loads into its own process. Nothing else of the configuration is touched. */
import { join } from 'node:path';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { InProcessOptions } from '../in-process.ts';
import { openCodePlugin } from '../opencode/plugin.ts';
import { piExtension } from '../pi/extension.ts';
import {
  type Installer,
  isUser,
  type Place,
  type Registered,
  type Registration,
  rootOf,
} from './installer.ts';
import { isMarked, markerOf, type Operation } from './operation.ts';

interface InProcess {
  readonly agent: string;
  file(place: Place): string;
  source(options: InProcessOptions): string;
}

function inProcessInstaller({ agent, file, source }: InProcess): Installer {
  const whole = (text: string): Operation => ({ kind: 'whole', text, executable: false });
  return {
    agent,
    settingsFile: file,
    files: (place, registrations) => [
      {
        file: file(place),
        within: rootOf(place),
        container: null,
        operations: () => (registrations.length === 0 ? [] : [whole(textOf(place, registrations))]),
        leftovers: () => [whole('')],
      },
    ],
    registered: (place, read) => launched(read(file(place)) ?? '', file(place)),
    steps: () => [],
  };

  function textOf(place: Place, registrations: readonly Registration[]): string {
    const deadlineMs = Math.max(...registrations.map((registration) => registration.deadlineMs));
    const argv = new Map(registrations.map((registration) => [registration.row.native, registration.argv]));
    const help = `It is registered in ${file(place)}.`;
    const launch = (event: string) => argv.get(event) ?? [];
    return `// ${markerOf(agent)}\n${source({ launch, deadlineMs, help })}`;
  }

  /** The table of launches that the file holds. */
  function launched(text: string, path: string): Registered[] {
    const table = /^const LAUNCH = (\{[\s\S]*?^\});$/m.exec(text)?.[1];
    if (table === undefined || !isMarked(text, agent)) return [];
    let lines: Json;
    try {
      lines = JSON.parse(table) as Json;
    } catch {
      return [];
    }
    return Object.entries(isJsonObject(lines) ? lines : {}).flatMap(([event, argv]) =>
      Array.isArray(argv) && argv.length > 0 ? [{ event, file: path, run: { argv: argv.map(String) } }] : [],
    );
  }
}

export const opencode = inProcessInstaller({
  agent: 'opencode',
  file: (place) =>
    isUser(place)
      ? join(place.env('XDG_CONFIG_HOME') || join(place.home, '.config'), 'opencode', 'plugin', 'harness.js')
      : join(rootOf(place), '.opencode', 'plugin', 'harness.js'),
  source: openCodePlugin,
});

export const pi = inProcessInstaller({
  agent: 'pi',
  file: (place) =>
    isUser(place)
      ? join(place.env('PI_CODING_AGENT_DIR') || join(place.home, '.pi', 'agent'), 'extensions', 'harness.ts')
      : join(rootOf(place), '.pi', 'extensions', 'harness.ts'),
  source: piExtension,
});
