/** `harness fleet join`: makes a key for this machine and registers it with a hub. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import {
  type Enrolled,
  findEnrolled,
  HubClient,
  hubAddress,
  joinFleet,
  markedPlaces,
  orphanedMark,
  type PolicyRoot,
  type Pulled,
  policyPlace,
  pullPolicy,
  readMarker,
} from '../../fleet/index.ts';
import { isRoot, machineHost } from '../../machine/index.ts';
import { type Arguments, type Run, UsageError } from '../../terminal/index.ts';

export const run: Run = async (args, output) => {
  const given = args.value('token');
  if (given === undefined)
    throw new UsageError('want --token T; make one where the hub runs: harness hub token --join');
  const token = given === '-' ? readFileSync(0, 'utf8').trim() : given;
  const address = hubAddress(args.positionals[0]!);
  const before = findEnrolled(machineHost);
  if (before !== null)
    throw new UsageError(
      `this machine belongs to ${before.enrolment.hub} as ${before.enrolment.name}. To join another hub, a person leaves this one first: harness fleet leave`,
    );
  const policy = policyRoot(args);
  demandNoMark(args, policy);
  const name = args.value('name') ?? hostname();
  const machine = await joinFleet(address, token, name, CLIENT, policy);
  const { enrolment } = machine;
  const pulled = await firstPolicy(machine);
  if (args.has('json')) output.line(JSON.stringify({ ...enrolment, policy: pulled }));
  else {
    output.line(
      `${output.paint('green', 'joined')}  ${enrolment.hub} as ${enrolment.name} (${enrolment.machine})`,
    );
    if (pulled === null)
      output.line('This machine takes no policy from the hub; join with --root SHA256 for that.');
    else if (pulled.kind === 'none')
      output.line('No policy is rolled out to this machine yet. Its agent takes the first one.');
    else
      output.line(
        `Policy version ${pulled.policy.version} is in force, ${policy!.managed ? 'for every user of this machine' : 'for this user'}.`,
      );
    output.line('Send the tapes: harness fleet agent --once, or harness fleet agent to go on sending.');
  }
  return 0;
};

const CLIENT = { host: machineHost };

function policyRoot(args: Arguments): PolicyRoot | null {
  const root = args.value('root');
  if (root === undefined) return null;
  if (!/^[0-9a-f]{64}$/.test(root))
    throw new UsageError('--root wants the SHA-256 that `harness fleet root` printed: 64 hexadecimal digits');
  return { root, managed: isRoot() && !args.has('user') };
}

/** A mark that no agent serves would block every call of this machine. */
function demandNoMark(args: Arguments, policy: PolicyRoot | null): void {
  const left = orphanedMark(markedPlaces(machineHost, isRoot() && !args.has('user')), policy);
  if (left === null) return;
  const { hub, root } = readMarker(left) ?? { hub: 'a hub', root: 'SHA256' };
  throw new UsageError(
    `this machine must have the policy of ${hub} (${left.marker}), and joining so would leave it without one: every call would be blocked. Join with --root ${root}, or a person leaves that fleet first: harness fleet leave`,
  );
}

/** Joining is over when a policy verified; from then on the machine must have one. */
async function firstPolicy(enrolled: Enrolled): Promise<Pulled | null> {
  const place = policyPlace(enrolled, machineHost);
  if (place === null) return null;
  const client = new HubClient(enrolled, CLIENT);
  return pullPolicy({ enrolled, client, host: machineHost }, place);
}
