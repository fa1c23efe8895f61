/** Gemini CLI and Qwen Code, which grew out of it: groups of handlers in settings.json, milliseconds. */
import { dirname, join } from 'node:path';
import { isJsonObject } from '../../base/index.ts';
import { isWithin } from '../../machine/index.ts';
import { group, hookListInstaller, isToolEvent } from '../install/hook-lists.ts';
import {
  type Installer,
  type InstallTarget,
  isManaged,
  type ReadText,
  rootOf,
  systemFile,
  trustSteps,
} from '../install/installer.ts';
import { jsonAt } from '../install/json-edit.ts';

interface Settings {
  readonly agent: string;
  readonly folder: string;
  readonly program: string;
  /** What holds if the user's settings do not say whether folders have to be trusted. */
  readonly trusts: boolean;
  /** The switch that lets hooks run. */
  readonly on: { readonly path: readonly string[]; readonly value: boolean };
  /** What still keeps hooks of the machine from running. */
  readonly reachable: string;
}

export function settingsInstaller({ agent, folder, program, trusts, on, reachable }: Settings): Installer {
  const file = (place: InstallTarget) =>
    isManaged(place)
      ? systemFile(place, agent, 'settings.json')
      : join(rootOf(place), folder, 'settings.json');
  const userFile = (place: InstallTarget, name: string) => join(place.home, folder, name);
  return hookListInstaller({
    agent,
    hasSystemPlace: true,
    file,
    // What stands there for the machine counts before what a user says.
    defaults: (place) => (isManaged(place) ? [on] : []),
    entry: ({ row, line, timeoutMs }) =>
      group(
        { type: 'command', name: `harness-${row.native}`, command: line, timeout: timeoutMs },
        isToolEvent(row) ? '*' : null,
      ),
    steps: (place, textOf) =>
      trustSteps(place, { program, folder, isTrusted: (dir) => isTrusted(dir, place, textOf) }),
    advice: (place) =>
      isManaged(place)
        ? [`a user of ${program} can still keep hooks of the machine from running: by ${reachable}`]
        : [],
  });

  function isTrusted(dir: string, place: InstallTarget, textOf: ReadText): boolean {
    const enabled = jsonAt(textOf(userFile(place, 'settings.json')) ?? '', [
      'security',
      'folderTrust',
      'enabled',
    ]);
    if (enabled === false || (enabled !== true && trusts)) return true;
    const folders = jsonAt(textOf(userFile(place, 'trustedFolders.json')) ?? '', []);
    return (
      folders !== undefined &&
      isJsonObject(folders) &&
      Object.entries(folders).some(
        ([path, level]) =>
          (level === 'TRUST_FOLDER' && isWithin(dir, path)) ||
          (level === 'TRUST_PARENT' && isWithin(dir, dirname(path))),
      )
    );
  }
}

export const installer = settingsInstaller({
  agent: 'gemini-cli',
  folder: '.gemini',
  program: 'gemini',
  trusts: false,
  on: { path: ['hooksConfig', 'enabled'], value: true },
  reachable: 'hooksConfig.disabled, a folder that is not trusted, or GEMINI_CLI_SYSTEM_SETTINGS_PATH',
});
