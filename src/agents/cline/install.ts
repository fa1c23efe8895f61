/**
 * Cline: an executable file for each event, named after it. It runs every file it finds in its folders, so that a file of
 * somebody else stays where it is and ours goes into the next folder.
 */
import { join } from 'node:path';
import {
  type Installer,
  type InstallTarget,
  isUser,
  type ReadText,
  rootOf,
  type WantedFile,
} from '../install/installer.ts';
import { isMarked, MARKER, markerOf, type Operation } from '../install/operation.ts';
import { adapter } from './index.ts';

const AGENT = 'cline';

/** All that it may have been installed for, by older versions too. */
const EVENTS = adapter.allEvents.map(({ native }) => native);

function folders(place: InstallTarget): string[] {
  return isUser(place)
    ? [join(place.home, '.cline', 'hooks'), join(place.home, 'Documents', 'Cline', 'Hooks')]
    : [join(rootOf(place), '.clinerules', 'hooks'), join(rootOf(place), '.cline', 'hooks')];
}

const isForeign = (text: string | null) => text !== null && text !== '' && !text.includes(MARKER);

function whole(line: string): Operation {
  return { kind: 'whole', text: `#!/bin/sh\n# ${markerOf(AGENT)}\n${line}\n`, executable: true };
}

export const installer: Installer = {
  agent: AGENT,
  settingsFile: (place) => folders(place)[0]!,
  files: (place, registrations, textOf) => {
    if (registrations.length === 0) {
      return folders(place).flatMap((folder) =>
        EVENTS.map((event) => wantedFile(place, join(folder, event), [])),
      );
    }
    return registrations.map(({ row, line }) => {
      const files = folders(place).map((folder) => join(folder, row.native));
      const file = files.find((candidate) => !isForeign(textOf(candidate))) ?? files[0]!;
      return wantedFile(place, file, [whole(line)]);
    });
  },
  registered: (place, textOf) =>
    folders(place).flatMap((folder) =>
      EVENTS.flatMap((event) => {
        const file = join(folder, event);
        return isMarked(textOf(file) ?? '', AGENT) ? [{ event, file, run: { argv: [file] } }] : [];
      }),
    ),
  steps: () => [],
};

function wantedFile(place: InstallTarget, file: string, operations: readonly Operation[]): WantedFile {
  return {
    file,
    within: rootOf(place),
    container: null,
    operations: () => operations,
    leftovers: (_textOf: ReadText) => [whole('')],
  };
}
