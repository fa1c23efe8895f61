/** The sessions that Claude Code wrote down itself. */
import { basename, join } from 'node:path';
import { type AgentSession, filesIn, foldersIn, MOST_FILES, sessionOf } from '../import/own-sessions.ts';
import { type InstallTarget, isUser, rootOf } from '../install/installer.ts';
import { claudeHome } from './install.ts';

export function ownSessions(place: InstallTarget): AgentSession[] {
  const projects = join(claudeHome(place), 'projects');
  // The agent names a folder after the path, with a dash for whatever is no letter or digit.
  const own = isUser(place)
    ? foldersIn(projects)
    : [join(projects, rootOf(place).replace(/[^A-Za-z0-9]/g, '-'))];
  return own
    .flatMap((folder) => filesIn(folder).filter((file) => file.endsWith('.jsonl')))
    .slice(0, MOST_FILES)
    .flatMap((file) => sessionOf(file, basename(file, '.jsonl')));
}
