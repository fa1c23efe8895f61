/**
 * A policy with one file edited and nothing written: a copy of its files with the draft in place, opened like any other. What it decides
 * starts no program and reaches no address.
 */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Problem } from '../base/index.ts';
import { layerOf } from '../engine/index.ts';
import { loadPolicyCopy, savePolicyCopy } from '../launcher/index.ts';
import { bareHost, machineHost, replaceFile } from '../machine/index.ts';
import { type LoadedLayer, layerPlaces, openPolicy, type Policy } from '../policy/index.ts';
import { problemsIn, studyScripts } from '../project/index.ts';
import type { DraftFile } from './server/api.ts';
import { PageError } from './server/app.ts';

export interface Draft {
  readonly source: string;
  readonly text: string;
}

const HOOK_FILE = /^\.harness\/hooks\/[A-Za-z0-9][\w-]*\.md$/;
const LONGEST = 256 * 1024;

/** What a request gives as a draft; null if it gives none. */
export function draftFrom(body: unknown): Draft | null {
  const { source, text } = (body ?? {}) as { source?: unknown; text?: unknown };
  if (source === undefined || source === null || text === undefined || text === null) return null;
  if (typeof source !== 'string' || !HOOK_FILE.test(source))
    throw new PageError(400, `want a file such as .harness/hooks/name.md, got ${JSON.stringify(source)}`);
  if (typeof text !== 'string' || text.length > LONGEST)
    throw new PageError(400, `want a text of at most ${LONGEST} characters`);
  return { source, text };
}

/** The innermost project: what a person edits here. */
export function projectLayer({ layers }: Policy): LoadedLayer {
  const layer = layers.findLast(({ kind }) => kind === 'project');
  if (layer === undefined)
    throw new PageError(409, 'there is no policy folder here; make one with `harness init`');
  return layer;
}

/** Hooks that can be edited here. */
export function draftFiles(policy: Policy): { name: string; source: string; event: string }[] {
  const layer = policy.layers.findLast(({ kind }) => kind === 'project');
  return policy.hooks
    .filter((hook) => layerOf(hook).name === layer?.name && HOOK_FILE.test(hook.source))
    .map(({ name, source, event }) => ({ name, source, event }));
}

export function readDraft(policy: Policy, source: string): DraftFile {
  const { dir } = projectLayer(policy);
  const file = join(dir, draftFrom({ source, text: '' })!.source);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > LONGEST) throw new PageError(404, `there is no ${source}`);
  const text = readFileSync(file, 'utf8');
  return { source, text, digest: hash('sha256', text, 'hex') };
}

/** Only over what the person has seen: a file that changed meanwhile is not overwritten. */
export function saveDraft(policy: Policy, { source, text }: Draft, seen: string | null): DraftFile {
  const { dir } = projectLayer(policy);
  const file = join(dir, source);
  const now = existsSync(file) ? hash('sha256', readFileSync(file, 'utf8'), 'hex') : null;
  if (now !== seen)
    throw new PageError(409, `${source} is not what it was when it was opened; open it again`);
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(file, text, { mode: 0o644 });
  return { source, text, digest: hash('sha256', text, 'hex') };
}

export interface OpenDraft {
  readonly policy: Policy;
  /** As an editor and `harness validate` say it. Tests of the policy are run for it: what was counted before is mixed with theirs. */
  problems(): Promise<readonly Problem[]>;
  close(): void;
}

export async function openDraft(policy: Policy, draft: Draft | null): Promise<OpenDraft> {
  const folder = mkdtempSync(join(tmpdir(), 'harness-draft-'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    await savePolicyCopy(folder, policy, 'draft');
    const kept = loadPolicyCopy(folder, policy.digest.digest) ?? [];
    const layer = kept.findLast(({ kind }) => kind === 'project');
    if (draft !== null) {
      projectLayer(policy);
      const file = join(layer!.copy, draft.source);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, draft.text);
    }
    const study = studyScripts();
    const opened = await openPolicy(policy.dir, {
      kept,
      host: bareHost,
      switches: machineHost,
      places: layerPlaces(machineHost),
      allowEmpty: true,
      coverage: true,
      trust: 'no code',
      check: study.check,
    });
    const problems = async () => (await problemsIn(opened, study, async () => opened)).problems;
    return { policy: opened, problems, close };
  } catch (thrown) {
    close();
    throw thrown;
  }
}
