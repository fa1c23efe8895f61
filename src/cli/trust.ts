/**
 * `harness trust`: what a folder and those around it ask for beyond the sandbox, listed in full, and agreed to.
 */
import type { FolderTrust } from '../policy/index.ts';
import {
  askForWord,
  atTerminal,
  canTrust,
  describeTrust,
  isPersonHere,
  openPolicyAt,
  type Run,
  saveTrust,
  TRUST_OPTION,
  UsageError,
} from '../terminal/index.ts';

export const run: Run = async (args, output) => {
  const dir = args.positionals[0] ?? '.';
  const policy = await openPolicyAt(dir);
  const folders = policy.trust.filter(({ capabilities }) => capabilities.length > 0);
  const [json, yes] = [args.has('json'), args.has('yes')];
  const open = folders.filter((folder) => folder.by === null && canTrust(folder));
  if (yes && open.length > 0 && !isPersonHere()) throw new UsageError(withoutPerson(open));
  let refused = 0;
  for (const folder of folders) {
    // Without the list, the word stands for all of it.
    if (!json && !(yes && open.includes(folder))) output.line(describeTrust(folder));
    if (folder.by !== null) {
      if (!json) output.line(`  ${output.paint('green', 'trusted')} ${VOUCHED[folder.by] ?? ''}`.trimEnd());
      continue;
    }
    const answer =
      open.includes(folder) && isPersonHere() ? await askForWord(TRUST_OPTION, atTerminal) : null;
    if (answer === 'yes') saveTrust(folder, 'yes', policy);
    else refused++;
    if (!json) output.line(`  ${answer === 'yes' ? output.paint('green', 'trusted') : 'not trusted'}`);
  }
  if (json) output.line(JSON.stringify({ folders: (await openPolicyAt(dir)).trust.map(dataOf) }));
  else if (folders.length === 0) output.line(`${dir} requests no capabilities`);
  return refused > 0 ? 1 : 0;
};

const VOUCHED: Readonly<Record<string, string>> = {
  record: 'by you',
  digest: 'by HARNESS_TRUST',
  all: 'by HARNESS_TRUST=all',
};

function withoutPerson(folders: readonly FolderTrust[]): string {
  const digests = folders.map(({ digest }) => digest).join(',');
  return `trust is for a person at a terminal; there is none here. For automation: HARNESS_TRUST=${digests}`;
}

function dataOf({ dir, capabilities, digest, by }: FolderTrust): Record<string, unknown> {
  const shown = capabilities.map(({ kind, name, what, source, files }) => ({
    kind,
    name,
    what,
    source,
    files,
  }));
  return { dir, digest, trusted: by !== null, by, powers: shown };
}
