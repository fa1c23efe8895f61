/**
 * Files and folders that look like policy and are not read, because of their name or their place. Each gets a warning:
 * somebody who wrote a guard believes that it is in force.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nearest, type Problem } from '../../base/index.ts';
import { isAbsent } from '../../files/index.ts';
import { POLICY_FOLDER, policyPath } from '../project-reader.ts';

/** What is read directly in the project, and in its `.harness`. */
const ROOT_NAMES = ['.harness', 'harness.md', 'agent.json', 'harn.toml'];
const POLICY_NAMES = [
  'hooks',
  'plugins',
  'builtins',
  'overrides',
  'harness.md',
  'settings.json',
  'agent.json',
  'patterns.yaml',
];
/** Others that belong there; some are a letter or two away from a name of the policy. */
const OTHER_NAMES = ['tools', 'agents', 'tests', 'data', 'lib', 'readme.md'];

/** `folders` are those whose Markdown files are read. */
export function findUnreadFiles(
  dir: string,
  folders: readonly string[],
  inside: string = POLICY_FOLDER,
): Problem[] {
  return [
    ...(inside === '.' ? [] : unreadAtRoot(dir)),
    ...unreadInPolicyFolder(dir, inside),
    ...folders.flatMap((folder) => unreadInFolder(dir, folder)),
  ];
}

/** Only another case counts here: a project may hold any file it likes. */
function unreadAtRoot(dir: string): Problem[] {
  const names = namesIn(dir);
  return names.flatMap((name) => {
    const meant = ROOT_NAMES.find((known) => known === name.toLowerCase() && known !== name);
    // Where the file system does not tell cases apart, it has been read under the right name.
    if (meant === undefined || !(names.includes(meant) || isAbsent(join(dir, meant)))) return [];
    return [unread(name, `is not read: the name is ${meant}`)];
  });
}

function unreadInPolicyFolder(dir: string, inside: string): Problem[] {
  const names = namesIn(join(dir, inside));
  return names.flatMap((name) => {
    const path = inside === '.' ? name : `${inside}/${name}`;
    if (POLICY_NAMES.includes(name) || OTHER_NAMES.includes(name.toLowerCase())) return [];
    const meant = nearest(name, POLICY_NAMES);
    if (meant !== undefined) {
      const read = !names.includes(meant) && !isAbsent(join(dir, inside, meant));
      return read ? [] : [unread(path, `is not read (did you mean ${meant}?)`)];
    }
    return MARKDOWN.test(name) && !name.startsWith('.')
      ? [unread(path, `is not read: hooks are files in ${policyPath('.harness/hooks', inside)}`)]
      : [];
  });
}

const MARKDOWN = /\.(md|markdown|mdown|mkd|mdx)$/i;
/** Markdown with something before or after it, as editors and people leave it behind. */
const MARKDOWN_INSIDE = /\.(md|markdown|mdown|mkd|mdx)\b/i;

export function isArtifactName(name: string): boolean {
  // Dot files are editors' locks and leftovers; a pattern like `*.md` does not mean them.
  return /\.md$/i.test(name) && !name.startsWith('.');
}

function unreadInFolder(dir: string, folder: string): Problem[] {
  const names = namesIn(join(dir, folder));
  return names.flatMap((name) => {
    if (isArtifactName(name)) return [];
    const path = `${folder}/${name}`;
    if (namesIn(join(dir, path)).some((inner) => MARKDOWN.test(inner))) {
      return [unread(path, `is not read: only files directly in ${folder} are`)];
    }
    if (!MARKDOWN_INSIDE.test(name)) return [];
    // A copy an editor keeps beside the file itself is nobody's guard.
    const original = name.replace(/^[.#]+/, '').replace(/(\.md)\b.*$/i, '$1');
    if (original !== name && names.includes(original)) return [];
    return [unread(path, 'is not read: its name must end in .md and not begin with a dot')];
  });
}

/** Nothing for what is no folder, or cannot be read: its reader says so. */
function namesIn(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}

function unread(file: string, why: string): Problem {
  return {
    severity: 'warning',
    code: 'FILE_STRAY',
    message: `${file} ${why}`,
    position: { file, line: 1, col: 1 },
  };
}
