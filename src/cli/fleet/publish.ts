/**
 * `harness fleet publish`: checks a policy folder, or one that another author signed, signs it with keys of this machine, and gives it to
 * the hub once enough authors have signed.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { didYouMean } from '../../base/index.ts';
import {
  type CandidateCheck,
  checkCandidate,
  type PackedFiles,
  type Proposal,
  packedBytes,
  packPolicy,
  publishedAt,
  publishProposal,
  readPacked,
  readProposal,
  type Signature,
  signed,
  signersOf,
  targetsFor,
} from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { WHEN_STALE, type WhenStale } from '../../policy/index.ts';
import { findTapes } from '../../project/index.ts';
import {
  type Arguments,
  countOf,
  type Output,
  onOneLine,
  quote,
  type Run,
  UsageError,
  wholeNumber,
} from '../../terminal/index.ts';
import { demandAuthors, filesOf, hubOf, signingKeys } from './author-options.ts';

const TRIES = 10_000;
const CLIENT = { host: machineHost };

export const run: Run = async (args, output) => {
  const path = args.positionals[0]!;
  const [hub, keys] = [hubOf(args), signingKeys(args)];
  const published = await publishedAt(hub, keys[0]!, CLIENT);
  demandAuthors(keys, published.root);
  const before = published.archive === null ? null : readPacked(Buffer.from(published.archive, 'base64'));
  const proposed = statSync(path).isDirectory() ? null : readProposal(readFileSync(path, 'utf8'));
  const files =
    proposed === null ? await packPolicy(path) : readPacked(Buffer.from(proposed.archive, 'base64'));
  const version = published.version + 1;
  if (proposed !== null && proposed.targets.signed.version !== version)
    throw new UsageError(
      `${path} is version ${proposed.targets.signed.version}, and ${version} is next: somebody published meanwhile. Its first author publishes the folder again`,
    );
  const check = await checked(files, before, args);
  if (!args.has('json')) report(check, before !== null, output);
  if (check.problems.length > 0 || check.failed.length > 0) return stop(check, args, output);

  const proposal = sign(proposed, files, version, check, args, keys);
  const loosens = proposal.targets.signed.targets.policy.custom.loosens;
  if (check.loosens && !loosens)
    throw new UsageError(
      `${path} was signed as one that loosens nothing, and the check here finds calls that would be allowed. Publish the folder again`,
    );
  const root = published.root.signed;
  const wanted = Math.max(root.roles.targets.threshold, loosens ? 2 : 1);
  const signers = signersOf(root, 'targets', proposal.targets).size;
  if (signers < wanted) return ask(proposal, version, { signers, wanted, loosens }, args, output);
  await publishProposal(hub, proposal, CLIENT);
  if (args.has('json'))
    output.line(JSON.stringify({ version, published: true, signers, wanted, ...dataOf(check) }));
  else {
    output.line(`${output.paint('green', 'published')}  version ${version} at ${hub}`);
    output.line(`No machine has it yet: harness fleet rollout ${version} --percent 10 --key FILE`);
  }
  return 0;
};

async function checked(
  files: PackedFiles,
  before: PackedFiles | null,
  args: Arguments,
): Promise<CandidateCheck> {
  const tapes = filesOf(args.value('tapes')).flatMap((path) => findTapes(path).files);
  return checkCandidate({ files, before, tapes, tries: wholeNumber(args, 'tries', 1) ?? TRIES });
}

function sign(
  proposed: Proposal | null,
  files: PackedFiles,
  version: number,
  check: CandidateCheck,
  args: Arguments,
  keys: readonly Parameters<typeof signed>[1][],
): Proposal {
  const now = machineHost.now();
  const archive = proposed === null ? packedBytes(files) : Buffer.from(proposed.archive, 'base64');
  const terms = {
    when_stale: whenStaleOf(args),
    max_age: maxAgeOf(args),
    loosens: check.loosens,
    message: args.value('message') ?? '',
    published: new Date(now).toISOString(),
    checks: { tests: check.tests, tries: check.tries, recorded: check.recorded },
  };
  const part = proposed?.targets.signed ?? targetsFor(archive, version, terms, now);
  let signatures: readonly Signature[] = proposed?.targets.signatures ?? [];
  for (const key of keys) ({ signatures } = signed(part, key, signatures));
  return { targets: { signed: part, signatures }, archive: archive.toString('base64') };
}

function ask(
  proposal: Proposal,
  version: number,
  { signers, wanted, loosens }: { signers: number; wanted: number; loosens: boolean },
  args: Arguments,
  output: Output,
): number {
  const out = args.value('out') ?? `policy-${version}.json`;
  writeFileSync(out, `${JSON.stringify(proposal)}\n`);
  if (args.has('json'))
    output.line(JSON.stringify({ version, published: false, signers, wanted, file: out }));
  else {
    const why = loosens ? ': it allows what was blocked' : '';
    output.line(`${output.paint('yellow', 'not published')}  ${signers} of ${wanted} authors signed${why}`);
    output.line(
      `Another author looks at it, signs it and publishes: harness fleet publish ${out} --key FILE`,
    );
  }
  return 1;
}

function stop(check: CandidateCheck, args: Arguments, output: Output): number {
  if (args.has('json')) output.line(JSON.stringify({ published: false, ...dataOf(check) }));
  else
    output.line(`${output.paint('red', 'not published')}  mend this first: harness validate, harness test`);
  return 1;
}

function report(
  { problems, tests, failed, differences, tries, recorded }: CandidateCheck,
  compared: boolean,
  output: Output,
): void {
  for (const { message } of problems) output.line(`${output.paint('red', 'error')}  ${onOneLine(message)}`);
  for (const name of failed) output.line(`${output.paint('red', 'failed')}  ${onOneLine(name)}`);
  output.line(`${countOf(tests, 'test')}, ${failed.length} failed`);
  if (!compared) {
    output.line('The first version: nothing to compare with.');
    return;
  }
  output.line(`${tries} calls tried against the version before, ${recorded} of them recorded`);
  for (const group of differences) {
    const [example] = group.examples;
    const by = group.hook === null ? '' : ` by ${onOneLine(group.hook)}`;
    const style = group.class === 'block->allow' ? 'red' : 'yellow';
    output.line(`  ${output.paint(style, group.class)}${by}: ${countOf(group.count, 'call')}`);
    if (example !== undefined) output.line(`    ${onOneLine(JSON.stringify(example.input)).slice(0, 200)}`);
  }
  if (differences.length === 0) output.line('No difference was found, which is no proof that there is none.');
}

function dataOf({ problems, tests, failed, differences, tries, recorded, loosens }: CandidateCheck) {
  return {
    ...{ tests, failed, tries, recorded, loosens },
    problems: problems.map(({ code, message }) => ({ code, message })),
    differences: differences.map(({ class: kind, hook, count }) => ({ class: kind, hook, count })),
  };
}

function whenStaleOf(args: Arguments): WhenStale {
  const given = args.value('when-stale') ?? 'keep';
  const found = WHEN_STALE.find((each) => each === given);
  if (found !== undefined) return found;
  throw new UsageError(
    `--when-stale wants ${WHEN_STALE.join(', ')}, got ${quote(given)}${didYouMean(given, WHEN_STALE)}`,
  );
}

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

/** In seconds; null: never stale. */
function maxAgeOf(args: Arguments): number | null {
  const text = args.value('max-age');
  if (text === undefined) {
    if (whenStaleOf(args) !== 'keep') throw new UsageError('--when-stale needs --max-age TIME, such as 7d');
    return null;
  }
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (seconds > 0) return seconds;
  throw new UsageError(`--max-age wants a time such as 30m, 12h or 7d, got ${quote(text)}`);
}
