/**
 * Runs a user's own agent against the scripted model with what `install` wrote, and says whether a block held. It runs in
 * namespaces of its own, with a scratch copy in the place of the user's folders, dummy keys and no network: the user's
 * sessions, configuration and credentials are neither read by the agent nor written.
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type CodingAgent,
  type InstallTarget,
  isUser,
  type LivePlace,
  type LiveRecipe,
  programOf,
  rootOf,
  stateAt,
  textOnDisk,
} from '../../../agents/index.ts';
import { engineFolder } from '../../../launcher/index.ts';
import { isRoot, isWithin, MANAGED_FOLDER, machineHost, realPathOrSame } from '../../../machine/index.ts';
import { openPolicyAt } from '../../../terminal/index.ts';
import type { Inspection } from '../inspect.ts';
import { insideScript, MODEL_URL, NO_MODEL, NOT_COVERED } from './inside.ts';
import { canaryFile, copyPolicy, coversOf, mustStayReachable, openScratch } from './scratch.ts';
import { decisionsIn } from './tape-facts.ts';
import { type Judged, judgeLive, type LiveFacts, wantsControl } from './verdict.ts';

export interface LiveResult extends Omit<Judged, 'notes'> {
  readonly facts: LiveFacts | null;
  /** What it ran. */
  readonly program: string | null;
  /** What this does not prove, in sentences. */
  readonly limits: readonly string[];
}

/** What one run of an agent may take on a machine that does nothing else. */
const RUN_MS = 90_000;
const MOST_STRETCH = 4;

/** Always true of such a run. */
const LIMITS = [
  'one command that has to be stopped and one that is ordinary work were tried, without a person; hooks of others in the same files were left out',
];

const ISOLATED = [
  ...(isRoot() ? [] : ['--map-root-user']),
  ...['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'],
];

/** `shipped`: sources of hooks that `init` writes. */
export async function proveLive(
  agent: CodingAgent,
  seen: Inspection,
  place: InstallTarget,
  shipped: ReadonlySet<string>,
): Promise<LiveResult> {
  const recipe = agent.live;
  const nothing = { facts: null, program: null, limits: [] };
  const unproved = (cause: string): LiveResult => ({ ...nothing, verdict: 'unproved', causes: [cause] });
  if (seen.watched !== null) return unproved(`there is no block to prove: ${seen.watched}`);
  if (recipe === undefined) return unproved('no way is known here to run it without a person');
  if (seen.registered.length === 0) {
    return {
      ...nothing,
      verdict: 'broken',
      causes: ['nothing of ours is registered with it', ...seen.problems],
    };
  }
  const program = programOf(agent, machineHost.env('PATH') ?? '');
  if (program === null) return unproved('its program was not found on the PATH');
  const obstacle = await obstacleTo(place);
  if (obstacle !== null) return unproved(obstacle);
  const folder = realPathOrSame(mkdtempSync(join(tmpdir(), 'harness-live-')));
  try {
    const run = (control: boolean) => runOnce({ place, recipe, program, folder, control });
    const facts = await run(false);
    if (typeof facts === 'string') return unproved(facts);
    const control = wantsControl(facts) ? await run(true) : null;
    if (typeof control === 'string') return unproved(control);
    const { problems } = seen;
    const refusalEndsRun = recipe.refusalEndsRun === true;
    const { verdict, causes, notes } = judgeLive(facts, { problems, refusalEndsRun, control, shipped });
    const limits = [
      ...notes,
      ...LIMITS,
      ...(refusalEndsRun
        ? ['a refusal ends its run: the model is never told, and ordinary work not tried']
        : []),
    ];
    return { verdict, causes, facts, program, limits };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Why an agent cannot be kept to itself here; null if it can. */
async function obstacleTo(place: InstallTarget): Promise<string | null> {
  if (process.platform !== 'linux') return 'an agent can be kept to itself on Linux only';
  const request = { cwd: '/', env: {}, stdin: '', timeoutMs: 20_000 };
  const argv = ['unshare', ...ISOLATED, 'sh', '-c', 'ip link set lo up && mount --bind /tmp /tmp'];
  const { exitCode, stderr, startError } = await machineHost.run({ ...request, program: { argv } }, null);
  if (exitCode !== 0) {
    const why = startError?.message ?? stderr.trim();
    return `namespaces cannot be had here, and without them the agent would not be kept to itself (${why})`;
  }
  const scratch = realPathOrSame(tmpdir());
  const around = coversOf(place, stateAt()).find((cover) => cover === '/' || isWithin(scratch, cover));
  if (around !== undefined) {
    return `the folder for temporary files, ${scratch}, is inside ${around}; set TMPDIR to one outside`;
  }
  if (!isRoot() && existsSync(MANAGED_FOLDER)) {
    return `${MANAGED_FOLDER} is root's, which cannot be seen from a namespace of this user; run it as root`;
  }
  return null;
}

interface OneRun {
  readonly place: InstallTarget;
  readonly recipe: LiveRecipe;
  readonly program: string;
  readonly folder: string;
  /** Without our hooks. */
  readonly control: boolean;
}

/** The facts, or why there are none. */
async function runOnce({ place, recipe, program, folder, control }: OneRun): Promise<LiveFacts | string> {
  const scratch = openScratch(join(folder, control ? 'without' : 'with'));
  const cwd = isUser(place) ? join(place.home, 'harness-live') : rootOf(place);
  const covers = coversOf(place, stateAt());
  for (const cover of covers) mkdirSync(scratch.at(cover), { recursive: true, mode: 0o700 });
  mkdirSync(scratch.at(cwd), { recursive: true });
  mkdirSync(join(scratch.folder, 'tmp'));
  const [marker, ordinary] = [0, 1].map(() => `harness-live-${machineHost.uuid()}.txt`) as [string, string];
  const reason = `Stopped by the live canary ${machineHost.uuid()}`;
  const policy = await openPolicyAt(rootOf(place));
  copyPolicy(scratch, policy, covers);
  const canary = canaryFile(policy, place, marker, reason);
  if (canary !== null) scratch.write(canary);
  const live: LivePlace = { place, cwd, url: MODEL_URL, textOf: textOnDisk };
  for (const file of recipe.files(live)) if (!(control && file.registers)) scratch.write(file);
  const calls = [marker, ...(recipe.refusalEndsRun ? [] : [ordinary])].map((file) =>
    recipe.call(`echo ran > ${file}`),
  );
  const runs = calls.map((call) => ({ text: 'I will run it.', tool_calls: [call] }));
  const completions = [...runs, { text: 'Done.' }];
  writeFileSync(join(scratch.folder, 'story.json'), JSON.stringify({ completions }));
  const own = realPathOrSame(process.argv[1] ?? '.');
  const node = programOnPath('node', machineHost.env('PATH') ?? '') ?? process.execPath;
  const script = insideScript({
    folder: scratch.folder,
    covers,
    kept: mustStayReachable(
      [
        ...packageParts(own),
        ...[process.execPath, node, program].map(realPathOrSame).map(dirname),
        engineFolder(),
        ...(packagesFolderOf(program) ?? []),
        ...(recipe.keeps?.(place) ?? []),
      ],
      covers,
    ),
    cwd,
    harness: [process.execPath, own],
    agent: [program, ...recipe.argv('Please run the harmless check that you are asked for.', live)],
    env: environment(place, recipe, node, scratch.folder),
  });
  const argv = ['unshare', ...ISOLATED, 'sh', '-c', script];
  const stretch = Math.min(MOST_STRETCH, Math.max(1, loadavg()[0]! / availableParallelism()));
  const request = { cwd: '/', env: {}, stdin: '', timeoutMs: RUN_MS * stretch };
  const { exitCode, stderr, timedOut } = await machineHost.run({ ...request, program: { argv } }, null);
  if (exitCode === NO_MODEL)
    return `the scripted model did not start: ${read(scratch.folder, 'model.txt').slice(-300)}`;
  if (exitCode === NOT_COVERED)
    return `the scratch copy could not be laid over the folders: ${stderr.trim()}`;
  const requests = requestsIn(scratch.folder);
  const tapes = isUser(place)
    ? join((place.scope as { user: string }).user, 'runs')
    : join(rootOf(place), '.harness', 'runs');
  return {
    toolRan: existsSync(join(scratch.at(cwd), marker)),
    decisions: decisionsIn(scratch.at(tapes), ordinary),
    ordinaryRan: recipe.refusalEndsRun ? null : existsSync(join(scratch.at(cwd), ordinary)),
    requests: requests.length,
    reasonSeen: requests.some((body) => body.includes(reason)),
    timedOut,
    exitCode: Number.parseInt(read(scratch.folder, 'exit.txt'), 10) || (timedOut ? null : 0),
    // What it printed is longer, and tells less.
    said: [
      read(scratch.folder, 'stdout.txt').trim().slice(-2000),
      read(scratch.folder, 'stderr.txt').trim().slice(-1000),
    ].join('\n'),
  };
}

/** Of the user's variables, only those that say where things are. */
const FOLDER_VARIABLES = [
  ...['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'COPILOT_HOME', 'PI_CODING_AGENT_DIR', 'HARNESS_TRUST'],
  ...['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'],
];

function environment(
  place: InstallTarget,
  recipe: LiveRecipe,
  node: string,
  folder: string,
): Record<string, string> {
  const given = FOLDER_VARIABLES.flatMap((name): [string, string][] => {
    const value = place.env(name);
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(given),
    PATH: `${dirname(realPathOrSame(node))}:${place.env('PATH') ?? '/usr/bin:/bin'}`,
    HOME: place.home,
    TMPDIR: join(folder, 'tmp'),
    ...{ LANG: 'C.UTF-8', TERM: 'dumb', CI: '1', NO_COLOR: '1' },
    ...recipe.env(MODEL_URL),
  };
}

/** What a copy of ours consists of, so that no more of the folder around it is seen than that. */
function packageParts(entry: string): string[] {
  const root = dirname(dirname(dirname(entry)));
  return ['dist', 'node_modules', 'packs', 'package.json'].map((name) => join(root, name));
}

/** The outermost folder of packages that a program is in: its dependencies are there too. */
function packagesFolderOf(program: string): string[] | null {
  const at = program.indexOf('/node_modules/');
  return at === -1 ? null : [program.slice(0, at + '/node_modules'.length)];
}

function programOnPath(name: string, path: string): string | null {
  const folders = path.split(':').filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null;
}

function read(folder: string, name: string): string {
  return textOnDisk(join(folder, name)) ?? '';
}

/** The conversation with the model, each request as text: without titles, lists of models and the like. */
function requestsIn(folder: string): string[] {
  return read(folder, 'requests.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .filter((line) => {
      const { answeredBy } = JSON.parse(line) as { answeredBy: { kind: string } };
      return answeredBy.kind === 'item' || answeredBy.kind === 'no-item';
    });
}
