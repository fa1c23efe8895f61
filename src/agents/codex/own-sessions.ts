/** The sessions that Codex wrote down itself, by the day. */
import { basename, join } from 'node:path';
import { isJsonObject } from '../../base/index.ts';
import { isWithin } from '../../machine/index.ts';
import {
  filesIn,
  firstLine,
  foldersIn,
  MOST_FILES,
  type OwnSession,
  sessionOf,
} from '../import/own-sessions.ts';
import { isUser, type Place, rootOf } from '../install/installer.ts';
import { codexHome } from './install.ts';

export function ownSessions(place: Place): OwnSession[] {
  const sessions = join(codexHome(place), 'sessions');
  const days = foldersIn(sessions).flatMap(foldersIn).flatMap(foldersIn);
  return days
    .flatMap(filesIn)
    .filter((file) => basename(file).startsWith('rollout-'))
    .slice(-MOST_FILES)
    .flatMap((file) => codexSession(file, place));
}

function codexSession(file: string, place: Place): OwnSession[] {
  const meta = firstLine(file)?.payload;
  if (!isJsonObject(meta) || typeof meta.id !== 'string') return [];
  const here = isUser(place) || (typeof meta.cwd === 'string' && isWithin(meta.cwd, rootOf(place)));
  return here ? sessionOf(file, meta.id) : [];
}
