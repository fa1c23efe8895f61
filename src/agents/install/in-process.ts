/**
 * OpenCode and pi: a file of ours that the agent loads into its own process. pi finds it in its folder of extensions. OpenCode
 * has such a folder too, but installs packages into a project that uses it; there the file stands in a folder of its own and is
 * named in opencode.json. Not with the policy: to delete that must not take the guard with it.
 */
import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Adapter } from '../adapter.ts';
import type { InProcessOptions } from '../in-process.ts';
import {
  guardPath,
  type Installer,
  type InstallTarget,
  isUser,
  type ReadText,
  type Registered,
  type Registration,
  rootOf,
  type WantedFile,
} from './installer.ts';
import { jsonAt } from './json-edit.ts';
import { isMarked, markerOf, type Operation } from './operation.ts';

interface InProcess {
  readonly adapter: Pick<Adapter, 'agent' | 'events'>;
  file(place: InstallTarget): string;
  source(options: InProcessOptions): string;
  /** A file that has to name ours, and the list in it. */
  named?(
    place: InstallTarget,
    textOf: ReadText,
  ): { readonly file: string; readonly list: readonly string[] } | null;
}

export function inProcessInstaller({ adapter, file, source, named }: InProcess): Installer {
  const { agent } = adapter;
  /** From the folder of the file to the guard of its project. */
  const guard = (place: InstallTarget) =>
    isUser(place) ? { path: guardPath(place) } : { beside: relative(dirname(file(place)), guardPath(place)) };
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
      if (at !== null && !(Array.isArray(list) && list.includes(nameIn(at.file, place)))) return [];
      return events(read(file(place)) ?? '', place);
    },
    steps: () => [],
  };

  function nameFiles(
    place: InstallTarget,
    registrations: readonly Registration[],
    read: ReadText,
  ): WantedFile[] {
    const at = named?.(place, read) ?? null;
    if (at === null) return [];
    const entry: Operation = { kind: 'entry', path: at.list, value: nameIn(at.file, place) };
    // As versions before 0.3 named it.
    const before: Operation = { ...entry, value: pathToFileURL(file(place)).href };
    return [
      {
        file: at.file,
        within: rootOf(place),
        container: null,
        operations: () => (registrations.length === 0 ? [] : [entry]),
        leftovers: () => [entry, before],
      },
    ];
  }

  /** From the file that names it, so that it is the same on every machine. */
  function nameIn(naming: string, place: InstallTarget): string {
    return `./${relative(dirname(naming), file(place))}`;
  }

  function textOf(place: InstallTarget, registrations: readonly Registration[]): string {
    const deadlineMs = Math.max(...registrations.map(({ timeoutMs }) => timeoutMs));
    return `// ${markerOf(agent)}\n${source({ agent, guard: guard(place), deadlineMs })}`;
  }

  /** What the file runs at each event, if it is ours. */
  function events(text: string, place: InstallTarget): Registered[] {
    if (!isMarked(text, agent) || !text.includes('const GUARD = ')) return [];
    return adapter.events.map(({ native }) => ({
      event: native,
      file: file(place),
      run: { argv: ['sh', guardPath(place), agent, native] },
    }));
  }
}
