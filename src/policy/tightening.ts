/**
 * Whether a changed policy is at least as strict as the one in force: what a session takes by itself. Every entry has to be there
 * unchanged, settings may only move in the strict direction, and what is added may only block or ask. Everything else waits for a person.
 */
import { canonicalJson, digestOf, type Json, SourceFile } from '../base/index.ts';
import { eventSpec, type Hook, layerOf, type Mode } from '../engine/index.ts';
import { HIDDEN_TEXT, TAPE_PAYLOADS } from '../files/index.ts';
import type { PermissionsInFile, ProjectSettings } from '../frontends/index.ts';
import { clamped } from '../machine/index.ts';
import { USE_MODES } from '../packs/index.ts';
import { checkScript, HOOK_BUILTINS, HOOK_SCRIPT } from '../script/index.ts';
import { domainsOf } from './layer-hooks.ts';
import type { LoadedLayer } from './loaded-layer.ts';
import { ZONES } from './permissions/layer.ts';
import type { Policy, PolicySettings } from './policy.ts';
import { describeHook, inLayer } from './policy-digest.ts';
import { FLEET_LAYERS } from './policy-loss.ts';

/** As a sentence; null: nothing is loosened. */
export function looseningIn(before: Policy, after: Policy): string | null {
  return (
    looserLayer(before, after) ??
    looserSetting(before, after) ??
    looserPacks(before, after) ??
    changedFile(before, after) ??
    changedHook(before, after)
  );
}

type Stricter<T> = { readonly [K in keyof T]: (before: T[K], after: T[K]) => boolean };

const same = (before: unknown, after: unknown) => text(before) === text(after);
const within = (before: readonly unknown[], after: readonly unknown[]) =>
  after.every((each) => before.some((one) => same(one, each)));

/** Of the whole policy. */
const SETTINGS: Stricter<PolicySettings> = {
  strict: (before, after) => after || !before,
  exitMode: same,
  allowedDomains: within,
  untrusted: same,
  environment: (before, after) => within(before.pass, after.pass) && within(before.name, after.name),
  tape: (before, after) =>
    TAPE_PAYLOADS.indexOf(after.payloads) >= TAPE_PAYLOADS.indexOf(before.payloads) &&
    (after.sync || !before.sync) &&
    (before.key === null || after.key === before.key),
  hiddenText: (before, after) => HIDDEN_TEXT.indexOf(after) >= HIDDEN_TEXT.indexOf(before),
  // Who may say yes; whether the daemon is started decides nothing.
  asking: (before, after) =>
    [null, before.webhook].includes(after.webhook) && [null, before.key].includes(after.key),
  sources: (before, after) => before === null || (after !== null && within(after, before)),
  sandbox: (before, after) => before === null || (after !== null && same(clamped(before, after), after)),
};

type LayerSettings = Pick<ProjectSettings, 'permissions' | 'requires' | 'observe' | 'tables'>;

/** Of one layer; its other settings are those of the whole policy, or make hooks. */
const OF_LAYER: Stricter<LayerSettings> = {
  permissions: (before, after) => before.every((table, at) => isTighterTable(table, after[at])),
  requires: (before, after) => within(versions(after), versions(before)),
  // Hooks that only recorded may also rewrite, and say yes.
  observe: same,
  tables: same,
};

function versions(requires: ProjectSettings['requires']): readonly (string | null)[] {
  return requires.map(({ version }) => version);
}

function isTighterTable({ table: before }: PermissionsInFile, now: PermissionsInFile | undefined): boolean {
  if (now === undefined) return false;
  const { table: after } = now;
  // What cannot be understood lets nothing run.
  if (after === null || before === null) return after === null;
  const { default: was = 'auto', policies: guards = [], ...rest } = before;
  const { default: is = 'auto', policies = [], ...restNow } = after;
  return same(rest, restNow) && ZONES.indexOf(is) >= ZONES.indexOf(was) && within(policies, guards);
}

function looserLayer(before: Policy, after: Policy): string | null {
  for (const layer of before.layers) {
    if (isSigned(layer.name)) continue;
    const now = after.layers.find(({ name }) => name === layer.name);
    if (now === undefined || now.rank !== layer.rank) return `the layer ${layer.name} (${layer.dir}) is gone`;
    const setting = looser(OF_LAYER, layer.project.settings, now.project.settings);
    if (setting !== null) return `${setting} of layer ${layer.name} is not stricter than before`;
    if (!within(searchedFolders(before, layer), searchedFolders(after, now)))
      return `hooks of layer ${layer.name} would reach other hosts than before`;
  }
  return null;
}

function searchedFolders({ layers }: Policy, { rank }: LoadedLayer): readonly string[] {
  return domainsOf(layers.filter((layer) => layer.rank <= rank));
}

function looserSetting(before: Policy, after: Policy): string | null {
  const setting = looser(SETTINGS, before.settings, after.settings);
  return setting === null ? null : `the setting ${setting} is not stricter than before`;
}

function looser<T>(table: Stricter<T>, before: T, after: T): (keyof T & string) | null {
  const names = Object.keys(table) as (keyof T & string)[];
  return names.find((name) => !table[name](before[name], after[name])) ?? null;
}

function looserPacks({ packs: before }: Policy, { packs: after }: Policy): string | null {
  const fresh = after.exceptions.find(
    (each) => !before.exceptions.some((one) => same(dataOf(one), dataOf(each))),
  );
  if (fresh !== undefined) return `there is an exception from ${fresh.rule} that was not there`;
  for (const { layer, pack, modes } of before.packs) {
    if (isSigned(layer)) continue;
    const now = after.packs.find((each) => each.layer === layer && each.pack.name === pack.name);
    if (now?.pack.digest !== pack.digest) return `the pack ${pack.name} of layer ${layer} has changed`;
    const modesNow = new Map([...now.modes].map(([rule, mode]) => [rule.name, mode]));
    const rule = [...modes].find(
      ([{ name }, mode]) => USE_MODES.indexOf(modesNow.get(name) ?? 'off') < USE_MODES.indexOf(mode),
    );
    if (rule !== undefined) return `the rule ${rule[0].name} is less strict than before`;
  }
  return null;
}

function dataOf({ covers: _covers, ...data }: Policy['packs']['exceptions'][number]) {
  return data;
}

/** Files with settings are compared by what they say. */
function changedFile(before: Policy, after: Policy): string | null {
  const sources = new Set(after.hooks.map(fileOf));
  const [settings, settingsNow] = [settingsFiles(before), settingsFiles(after)];
  const { files } = before.digest;
  for (const [file, digest] of Object.entries(files))
    if (!settings.has(file) && !isSigned(file.split('/')[0]!) && after.digest.files[file] !== digest)
      return `${file} ${Object.hasOwn(after.digest.files, file) ? 'has changed' : 'is gone'}`;
  const fresh = Object.keys(after.digest.files).find(
    (file) =>
      !Object.hasOwn(files, file) &&
      !settingsNow.has(file) &&
      !sources.has(file) &&
      !isSigned(file.split('/')[0]!),
  );
  return fresh === undefined ? null : `${fresh} is new, and more than a hook`;
}

function fileOf(hook: Hook): string {
  return inLayer(layerOf(hook).name, hook.source);
}

function settingsFiles({ layers }: Policy): ReadonlySet<string> {
  return new Set(
    layers.flatMap(({ name, project }) =>
      project.harness.map(({ artifact }) => inLayer(name, artifact.path)),
    ),
  );
}

const FAILURES: readonly Hook['onError'][] = ['allow', 'throw', 'block'];
const CONDITIONS: readonly Hook['onWhenError'][] = ['skip', 'block'];

function changedHook(before: Policy, after: Policy): string | null {
  const left = new Map<string, Hook[]>();
  for (const hook of comparable(after)) left.set(keyOf(hook), [...(left.get(keyOf(hook)) ?? []), hook]);
  for (const hook of comparable(before)) {
    const found = left.get(keyOf(hook)) ?? [];
    const at = found.findIndex(
      (now) =>
        FAILURES.indexOf(now.onError) >= FAILURES.indexOf(hook.onError) &&
        CONDITIONS.indexOf(now.onWhenError) >= CONDITIONS.indexOf(hook.onWhenError),
    );
    if (at === -1) return `the hook ${hook.name} of ${hook.source} is gone or has changed`;
    found.splice(at, 1);
  }
  const loose = [...left.values()].flat().find((hook) => !onlyRestricts(hook));
  return loose === undefined
    ? null
    : `the hook ${loose.name} of ${loose.source} is new, and can do more than stop a call`;
}

/** Rules of packs and permission tables are compared as settings. */
function comparable({ hooks }: Policy): readonly Hook[] {
  return hooks.filter((hook) => {
    const { name } = hook.frontEnd;
    return name !== 'packs' && name !== 'permissions' && !isSigned(layerOf(hook).name);
  });
}

/** Of a fleet: its authors signed it, and no agent can. What it loses is seen before. */
function isSigned(layer: string): boolean {
  return FLEET_LAYERS.includes(layer);
}

/** All that makes a hook what it is, but what its failure means: there one word is stricter than another. */
function keyOf(hook: Hook): string {
  const { onError: _onError, onWhenError: _onWhenError, ...described } = describeHook(hook, {});
  return text({
    ...described,
    // Of a hook in code there is no more to compare.
    written: hook.written === undefined ? null : digestOf(hook.written() as unknown as Json),
    condition: hook.condition?.text ?? null,
    standIn: hook.standIn ?? false,
  });
}

const IN_FORCE: Mode = 'enforce';

function onlyRestricts(hook: Hook): boolean {
  const { mode, capability, event, frontEnd, written, body, stateGroup, watches } = hook;
  if (hook.standIn === true) return true;
  if (mode !== IN_FORCE || watches === true || capability !== undefined || stateGroup !== undefined)
    return false;
  // Its answer would be a person's.
  if (eventSpec(event)?.honours.permit === true) return false;
  if (!frontEnd.powers.modify || body === null) return true;
  const { script } = written?.().frontMatter ?? {};
  if (typeof script !== 'string') return false;
  const source = new SourceFile(hook.source, script);
  const { entry } = HOOK_SCRIPT;
  return checkScript({ kind: 'handler', source, file: source, environment: HOOK_BUILTINS, entry, event })
    .onlyRestricts;
}

function text(value: unknown): string {
  return value === undefined ? 'absent' : canonicalJson(value);
}
