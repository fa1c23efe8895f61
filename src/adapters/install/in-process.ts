/**
 * OpenCode and pi: a file of ours that the agent loads into its own process. pi finds it in its folder of extensions. OpenCode
 * has such a folder too, but installs packages into a project that uses it; there the file stands in a folder of its own and is
 * named in opencode.json. Not with the policy: to delete that must not take the guard with it.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { InProcessOptions } from '../in-process.ts';
import { openCodePlugin } from '../opencode/plugin.ts';
import { piExtension } from '../pi/extension.ts';
import {
  type Installer,
  isUser,
  type Place,
  type ReadText,
  type Registered,
  type Registration,
  rootOf,
  type WantedFile,
} from './installer.ts';
import { jsonAt } from './json-edit.ts';
import { isMarked, markerOf, type Operation } from './operation.ts';

interface InProcess {
  readonly agent: string;
  file(place: Place): string;
  source(options: InProcessOptions): string;
  /** A file that has to name ours, and the list in it. */
  named?(place: Place, textOf: ReadText): { readonly file: string; readonly list: readonly string[] } | null;
}

function inProcessInstaller({ agent, file, source, named }: InProcess): Installer {
  const whole = (text: string): Operation => ({ kind: 'whole', text, executable: false });
  return {
    agent,
    settingsFile: file,
    files: (place, registrations, read) => [
      {
        file: file(place),
        within: rootOf(place),
        container: null,
        operations: () => (registrations.length === 0 ? [] : [whole(textOf(place, registrations))]),
        leftovers: () => [whole('')],
      },
      ...nameFiles(place, registrations, read),
    ],
    registered: (place, read) => {
      const at = named?.(place, read) ?? null;
      const list = at === null ? null : jsonAt(read(at.file) ?? '', at.list);
      // A file that nobody names is not loaded.
      if (at !== null && !(Array.isArray(list) && list.includes(urlOf(file(place))))) return [];
      return launched(read(file(place)) ?? '', file(place));
    },
    steps: () => [],
  };

  function nameFiles(place: Place, registrations: readonly Registration[], read: ReadText): WantedFile[] {
    const at = named?.(place, read) ?? null;
    if (at === null) return [];
    const entry: Operation = { kind: 'entry', path: at.list, value: urlOf(file(place)) };
    return [
      {
        file: at.file,
        within: rootOf(place),
        container: null,
        operations: () => (registrations.length === 0 ? [] : [entry]),
        leftovers: () => [entry],
      },
    ];
  }

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

function urlOf(file: string): string {
  return pathToFileURL(file).href;
}

export const opencode = inProcessInstaller({
  agent: 'opencode',
  file: (place) =>
    isUser(place)
      ? join(place.env('XDG_CONFIG_HOME') || join(place.home, '.config'), 'opencode', 'plugin', 'harness.js')
      : join(rootOf(place), '.harness-guard', 'opencode.js'),
  named: (place, textOf) => {
    if (isUser(place)) return null;
    const [plain, commented] = ['opencode.json', 'opencode.jsonc'].map((name) => join(rootOf(place), name));
    const file = textOf(plain!) === null && textOf(commented!) !== null ? commented! : plain!;
    return { file, list: ['plugin'] };
  },
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
