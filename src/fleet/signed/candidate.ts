/**
 * What is asked of a policy before an author signs it: that it is valid, that its tests pass, and what it decides differently than the
 * version before, by search and over recorded tapes. Exactly the bytes that are published are checked.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { HarnessError, type Problem } from '../../base/index.ts';
import { machineHost } from '../../machine/index.ts';
import {
  type FindingGroup,
  openPolicy,
  type Policy,
  ScriptCollector,
  type SearchOptions,
  type Side,
  searchDifferences,
} from '../../policy/index.ts';
import { recordedCalls, runTests, validateFolder } from '../../project/index.ts';
import { type PackedFiles, packFolder, unpackTo } from './archive.ts';

export interface CandidateCheck {
  /** Errors: the policy cannot be published. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly tests: number;
  /** Names of the tests that failed. */
  readonly failed: readonly string[];
  /** What the search found against the version before. */
  readonly differences: readonly FindingGroup[];
  readonly tries: number;
  /** Recorded calls that both versions decided. */
  readonly recorded: number;
  /** Why the comparison is not what was asked for: too little time, too many recorded calls. */
  readonly cut: string | null;
  /** A call that the version before blocks would be allowed. */
  readonly loosens: boolean;
}

export interface CandidateOptions {
  readonly files: PackedFiles;
  /** Null: the first version. */
  readonly before: PackedFiles | null;
  readonly tapes: readonly string[];
  readonly tries: number;
}

const SEARCH = { seed: 1, mostMs: 120_000 };
const MOST_RECORDED = 5000;
const LOOSENING = 'block->allow';
const NO_OPTIONS = { has: () => false, value: () => undefined };

/** The files of a policy folder, with what its hooks run. */
export async function packPolicy(dir: string): Promise<PackedFiles> {
  const policy = await openAlone(dir);
  const run = policy.layers.flatMap(({ project }) =>
    project.capabilities.flatMap(({ root, files }) => Object.keys(files).map((name) => join(root, name))),
  );
  const further = run.map((path) => relative(dir, path)).filter((path) => !path.startsWith('..'));
  return packFolder(dir, further);
}

export async function checkCandidate({
  files,
  before,
  tapes,
  tries,
}: CandidateOptions): Promise<CandidateCheck> {
  const scratch = mkdtempSync(join(tmpdir(), 'harness-publish-'));
  try {
    const next = unpackIn(scratch, 'next', files);
    const { problems } = await validateFolder(next);
    const ofSeverity = (severity: Problem['severity']) =>
      problems.filter((each) => each.severity === severity);
    const { results } = await runTests(next, NO_OPTIONS);
    const failed = results.filter(({ status }) => status === 'failed').map(({ test }) => test.name);
    const sides = before === null ? null : ([unpackIn(scratch, 'before', before), next] as const);
    const { calls, broken } = await recordedCalls(tapes, MOST_RECORDED);
    if (broken.length > 0) throw new HarnessError('FLEET_REFUSED', `a tape cannot be read: ${broken[0]}`);
    const found =
      sides === null
        ? null
        : await differencesOf(sides, { ...SEARCH, tries: tries + calls.length, recorded: calls });
    const differences = found?.groups ?? [];
    return {
      problems: ofSeverity('error'),
      warnings: ofSeverity('warning'),
      tests: results.length,
      failed,
      differences,
      tries: found?.tries ?? 0,
      recorded: sides === null ? 0 : calls.length,
      cut:
        found?.outOfTime === true
          ? `the comparison stopped after ${SEARCH.mostMs / 1000} s`
          : calls.length === MOST_RECORDED
            ? `only the first ${MOST_RECORDED} recorded calls were compared`
            : null,
      loosens: loosens(differences),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Whether a bounded search finds a call that the version before blocks and the next allows. It leaves other work its turn. */
export async function findLoosening(
  before: PackedFiles,
  next: PackedFiles,
  tries: number,
  mostMs: number,
): Promise<boolean> {
  const scratch = mkdtempSync(join(tmpdir(), 'harness-compare-'));
  try {
    const sides = [unpackIn(scratch, 'before', before), unpackIn(scratch, 'next', next)] as const;
    const { groups } = await differencesOf(sides, {
      ...SEARCH,
      tries,
      mostMs,
      onProgress: () => setImmediate(),
    });
    return loosens(groups);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function loosens(differences: readonly FindingGroup[]): boolean {
  return differences.some((group) => group.class === LOOSENING);
}

function unpackIn(scratch: string, name: string, files: PackedFiles): string {
  const dir = join(scratch, name);
  mkdirSync(dir);
  unpackTo(dir, files, false);
  return dir;
}

/** As machines open it: without the layers of the author's own machine. */
function openAlone(dir: string, check?: ScriptCollector): Promise<Policy> {
  return openPolicy('/', {
    host: machineHost,
    places: { managed: null, user: dir },
    trust: 'no code',
    ...(check !== undefined && { check: check.check }),
  });
}

async function differencesOf([old, next]: readonly [string, string], options: SearchOptions) {
  const side = async (dir: string): Promise<Side> => {
    const scripts = new ScriptCollector();
    return { policy: await openAlone(dir, scripts), scripts };
  };
  return searchDifferences(await side(old), await side(next), options);
}
