/** Gemini CLI and Qwen Code, which grew out of it: groups of handlers in settings.json, milliseconds. */
import { dirname, join } from 'node:path';
import { isJsonObject } from '../../base/index.ts';
import { isWithin } from '../../machine/index.ts';
import { group, hookListInstaller, isToolEvent } from '../install/hook-lists.ts';
import {
  type Installer,
  isManaged,
  type Place,
  type ReadText,
  rootOf,
  systemFile,
  trustSteps,
} from '../install/installer.ts';
import { jsonAt } from '../install/json-edit.ts';

/** `trusts`: what holds if the user's settings do not say whether folders have to be trusted. `on`: the switch that lets hooks run. */
export function settingsInstaller(
  agent: string,
  folder: string,
  program: string,
  trusts: boolean,
  on: { readonly path: readonly string[]; readonly value: boolean },
): Installer {
  const file = (place: Place) =>
    isManaged(place)
      ? systemFile(place, agent, 'settings.json')
      : join(rootOf(place), folder, 'settings.json');
  const userFile = (place: Place, name: string) => join(place.home, folder, name);
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
  });

  function isTrusted(dir: string, place: Place, textOf: ReadText): boolean {
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

export const installer = settingsInstaller('gemini-cli', '.gemini', 'gemini', false, {
  path: ['hooksConfig', 'enabled'],
  value: true,
});
