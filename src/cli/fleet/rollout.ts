/** `harness fleet rollout`: gives a published version to a share of the machines. Without a version it shows what is rolled out. */
import { publishedAt, type Rollout, rollOutOnHub } from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { type Output, type Run, UsageError, wholeNumber } from '../../terminal/index.ts';
import { demandAuthors, hubOf, signingKeys } from './author-options.ts';
import { labelsOf } from './labels.ts';

const CLIENT = { host: machineHost };

export const run: Run = async (args, output) => {
  const [hub, [key]] = [hubOf(args), signingKeys(args)];
  const [text] = args.positionals;
  const before = await publishedAt(hub, key!, CLIENT);
  if (text === undefined) {
    if (args.has('json')) output.line(JSON.stringify({ version: before.version, rollouts: before.rollouts }));
    else show(before.rollouts, output);
    return 0;
  }
  demandAuthors([key!], before.root);
  const version = Number(text);
  if (!Number.isSafeInteger(version))
    throw new UsageError(`want the number of a version, got ${JSON.stringify(text)}`);
  const percent = wholeNumber(args, 'percent', 1) ?? 100;
  if (percent > 100) throw new UsageError('--percent wants a number from 1 to 100');
  const change = { version, percent, labels: labelsOf(args.value('labels')), revision: before.revision };
  const revision = await rollOutOnHub(hub, key!, change, CLIENT);
  if (args.has('json')) output.line(JSON.stringify({ ...change, revision }));
  else
    output.line(
      `${output.paint('green', 'rolled out')}  version ${version} to ${percent} per cent of ${machinesText(change.labels)}`,
    );
  return 0;
};

function show(rollouts: readonly Rollout[], output: Output): void {
  if (rollouts.length === 0) output.line('Nothing is rolled out: harness fleet rollout VERSION --key FILE');
  for (const { version, percent, labels } of rollouts)
    output.line(`version ${version}: ${percent} per cent of ${machinesText(labels)}`);
}

function machinesText(labels: Readonly<Record<string, string>>): string {
  const names = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return names.length === 0 ? 'all machines' : `machines with ${names.join(', ')}`;
}
