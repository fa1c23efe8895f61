/** The sessions that Codex wrote down itself, by the day. */
import { basename, join } from 'node:path';
import { isJsonObject } from '../../base/index.ts';
import { isWithin } from '../../machine/index.ts';
import {
  type AgentSession,
  filesIn,
  firstLine,
  foldersIn,
  MOST_FILES,
  sessionOf,
} from '../import/own-sessions.ts';
import { type InstallTarget, isUser, rootOf } from '../install/installer.ts';
import { codexHome } from './install.ts';

export function ownSessions(place: InstallTarget): AgentSession[] {
  const sessions = join(codexHome(place), 'sessions');
  const days = foldersIn(sessions).flatMap(foldersIn).flatMap(foldersIn);
  return days
    .flatMap(filesIn)
    .filter((file) => basename(file).startsWith('rollout-'))
    .slice(-MOST_FILES)
    .flatMap((file) => codexSession(file, place));
}

function codexSession(file: string, place: InstallTarget): AgentSession[] {
  const meta = firstLine(file)?.payload;
  if (!isJsonObject(meta) || typeof meta.id !== 'string') return [];
  const here = isUser(place) || (typeof meta.cwd === 'string' && isWithin(meta.cwd, rootOf(place)));
  return here ? sessionOf(file, meta.id) : [];
}
