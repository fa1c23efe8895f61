/**
 * `harness trust`: what a folder and those around it ask for beyond the sandbox, listed in full, and agreed to.
 */
import type { FolderTrust } from '../policy/index.ts';
import { atTerminal, describeTrust, keep, openPolicyAt, type Run, yesOrNo } from '../terminal/index.ts';

export const run: Run = async (args, output) => {
  const dir = args.positionals[0] ?? '.';
  const policy = await openPolicyAt(dir);
  const folders = policy.trust.filter(({ capabilities }) => capabilities.length > 0);
  const json = args.has('json');
  let refused = 0;
  for (const folder of folders) {
    if (!json) output.line(describeTrust(folder));
    if (folder.by !== null) {
      if (!json) output.line(`  ${output.paint('green', 'trusted')} ${VOUCHED[folder.by] ?? ''}`.trimEnd());
      continue;
    }
    const answer = args.has('yes') ? 'yes' : await ask();
    if (answer === 'yes') keep(folder, 'yes', policy);
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

/** Without a terminal and without --yes the list is shown and nothing is agreed to. */
async function ask(): Promise<'yes' | 'no' | null> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return null;
  return yesOrNo('Let this folder do that? [y]es, [N]o: ', atTerminal);
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
