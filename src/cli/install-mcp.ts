/**
 * `harness install mcp CLIENT…` and `harness uninstall mcp CLIENT…`: the servers that a client's configuration names stand behind the
 * proxy, and are put back to the byte. A server that cannot be put behind it is named, and is a problem.
 */
import { join } from 'node:path';
import {
  type InstallTarget,
  isUser,
  MCP_CLIENTS,
  type McpClient,
  type Operation,
  openAddresses,
  ownerOf,
  planChanges,
  recordsFolder,
  rootOf,
  serversIn,
  stateAt,
  textOnDisk,
  type WantedFile,
  wrapAll,
  wrappedIn,
} from '../agents/index.ts';
import { didYouMean } from '../base/index.ts';
import { copyEngine, userCopy } from '../launcher/index.ts';
import { wantsLogin } from '../mcp/index.ts';
import { type Arguments, type Output, quote, UsageError } from '../terminal/index.ts';
import { commitUnlessPrinted, type Result, report, withRecords } from './install.ts';

export async function wrapServers(
  names: readonly string[],
  place: InstallTarget,
  args: Arguments,
  output: Output,
): Promise<number> {
  const clients = namedClients(names);
  if (!args.has('print')) await copyEngine();
  const logins = await Promise.all(clients.map((client) => loginsIn(client, place)));
  const results = withRecords(args, () =>
    clients.map((client, at) => wrapped(client, place, args, logins[at]!)),
  );
  report(results, 'installed', args, output);
  // A server that stays unguarded is no success.
  return results.every(({ problems, steps }) => problems.length + steps.length === 0) ? 0 : 1;
}

export function unwrapServers(
  names: readonly string[],
  place: InstallTarget,
  args: Arguments,
  output: Output,
): number {
  const clients = namedClients(names);
  const results = withRecords(args, () => clients.map((client) => unwrapped(client, place, args)));
  report(results, 'uninstalled', args, output);
  return results.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

function namedClients(names: readonly string[]): McpClient[] {
  const known = MCP_CLIENTS.map(({ name }) => name);
  if (names.length === 0) throw new UsageError(`mcp wants a client: ${known.join(', ')}`);
  return [...new Set(names)].map((name) => {
    const client = MCP_CLIENTS.find((one) => one.name === name);
    if (client === undefined)
      throw new UsageError(
        `unknown client ${quote(name)}${didYouMean(name, known)}\nKnown: ${known.join(', ')}`,
      );
    return client;
  });
}

/** The servers of a client that want a login. */
async function loginsIn(client: McpClient, place: InstallTarget): Promise<ReadonlySet<string>> {
  const text = textOnDisk(fileOf(client, place)) ?? '';
  const asked = [...openAddresses(client, text)].map(async ([server, address]) =>
    (await wantsLogin(address)) ? [server] : [],
  );
  return new Set((await Promise.all(asked)).flat());
}

function wrapped(
  client: McpClient,
  place: InstallTarget,
  args: Arguments,
  logins: ReadonlySet<string>,
): Result {
  const agent = agentOf(client);
  const file = fileOf(client, place);
  const text = textOnDisk(file);
  if (text === null || Object.keys(serversIn(client, text)).length === 0)
    return {
      ...NOTHING,
      agent,
      problems: [{ file, message: `${file} names no server under ${client.key}` }],
    };
  // The user's copy: the package that runs now may stand in a cache that is emptied.
  const start = {
    node: join(userCopy(), 'node'),
    entry: join(userCopy(), 'dist/cli/harness.cjs'),
    dir: isUser(place) ? null : rootOf(place),
  };
  const { operations, wrapped: names, left } = wrapAll(client, text, start, logins);
  const unguarded = left.map(({ server, why }) => ({
    file,
    message: `${quote(server)} stays unguarded: ${why}`,
  }));
  if (operations.length === 0) return { ...NOTHING, agent, problems: unguarded };
  const result = commitUnlessPrinted(
    planChanges({
      ...requestFor(client, place),
      files: [wantedFile(file, place, operations)],
      install: true,
    }),
    agent,
    args,
  );
  return { ...result, events: names, steps: unguarded.map(({ message }) => message) };
}

function unwrapped(client: McpClient, place: InstallTarget, args: Arguments): Result {
  const file = fileOf(client, place);
  // What may be there of ours when the record of it is lost.
  const leftovers = wrappedIn(client, textOnDisk(file) ?? '');
  const plan = planChanges({
    ...requestFor(client, place),
    files: [{ ...wantedFile(file, place, []), leftovers: () => leftovers }],
    install: false,
  });
  return commitUnlessPrinted(plan, agentOf(client), args);
}

const NOTHING = { changes: [], problems: [], events: [], cannot: [], steps: [] };

/** As the record has it; a client may have hooks of ours too. */
function agentOf({ name }: McpClient): string {
  return `mcp ${name}`;
}

function fileOf(client: McpClient, place: InstallTarget): string {
  const file = client.file(place);
  if (file !== null) return file;
  throw new UsageError(`${client.title} has one configuration for the user: add --user`);
}

function requestFor(client: McpClient, place: InstallTarget) {
  const agent = agentOf(client);
  const records = recordsFolder(stateAt());
  return { agent, owner: ownerOf(agent, place), followOut: isUser(place), records };
}

function wantedFile(file: string, place: InstallTarget, operations: readonly Operation[]): WantedFile {
  return {
    file,
    within: isUser(place) ? place.home : rootOf(place),
    container: null,
    operations: () => operations,
  };
}
