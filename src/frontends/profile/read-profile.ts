/**
 * Reads the hooks of an agent.json. Everything is checked here, so that a declared hook never silently does not fire; one
 * bad entry never keeps the others from loading.
 */
import { basename, dirname, resolve } from 'node:path';
import { didYouMean, type MapEntry, type MapNode, textAt } from '../../base/index.ts';
import { describe, type FolderSnapshot, JSON_FILE } from '../../files/index.ts';
import { HookFile } from '../hook-file.ts';
import type { BrokenHook, ReadResult } from '../project-reader.ts';
import { BUCKETS } from './buckets.ts';
import { readEntry } from './entry.ts';
import { disabledBy, type Environment, WEBHOOK_LIST, webhookAllowList } from './operator.ts';
import { profileFrontEnd } from './profile-front-end.ts';
import { APPROVAL_WINDOW_MS } from './schema.ts';

/** Keys that guard beside the hooks, and what to write instead. */
const UNREAD: Readonly<Record<string, string>> = {
  policies: 'turn on packs, or write a hook on tool.pre',
  zones: 'turn on packs, or write a hook on tool.pre',
  permissions: 'write them under permissions: in harness.md',
};

export async function readProfiles(
  snapshot: FolderSnapshot,
  paths: readonly string[],
  machine: Environment,
): Promise<ReadResult> {
  const files = paths.map((path) => new ProfileFile(snapshot, path, machine));
  for (const file of files) await file.read();
  const [, second] = files;
  if (second !== undefined) {
    const message = `both ${paths.join(' and ')} exist: keep one (until then both are in force)`;
    second.report.error('HOOK_DUPLICATE', message, 0);
  }
  return {
    hooks: files.flatMap(({ hooks }) => hooks),
    // Switched off means off, also where nobody can tell what it is that is off. The errors stay.
    broken: disabledBy(machine) === null ? files.flatMap(({ broken }) => broken) : [],
    problems: files.flatMap(({ report }) => report.problems),
    files: [...paths],
    capabilities: files.flatMap(({ capabilities }) => capabilities),
  };
}

class ProfileFile extends HookFile {
  private readonly snapshot: FolderSnapshot;
  private readonly folder: string;
  private readonly machine: Environment;

  constructor(snapshot: FolderSnapshot, path: string, machine: Environment) {
    super(snapshot, path, profileFrontEnd.name);
    this.snapshot = snapshot;
    this.folder = resolve(snapshot.dir, dirname(path));
    this.machine = machine;
  }

  async read(): Promise<void> {
    const { report } = this;
    const root = this.readObject();
    if (root === null) return;
    for (const { key, keyStart } of root.repeated) {
      const message = 'hooks is written twice; the first one would be lost';
      if (key === 'hooks') this.standIn(report.error('FIELD_REPEATED', message, keyStart));
    }
    this.nameUnread(root);
    const hooks = root.entries.get('hooks')?.value;
    if (hooks === undefined) this.lookForSlips(root);
    else if (hooks.kind === 'map') {
      await this.buckets(hooks, root);
      this.checkOperator(hooks.start);
    } else {
      const message = `hooks: wanted an object with a key for each moment, got ${describe(hooks, JSON_FILE)}`;
      this.standIn(report.error('FIELD_TYPE', message, hooks.start));
    }
  }

  /** Other guards of the format, which only its own program enforces. */
  private nameUnread(root: MapNode): void {
    const security = root.entries.get('security')?.value;
    const places = [root, ...(security?.kind === 'map' ? [security] : [])];
    for (const { key, keyStart } of places.flatMap(({ entries }) => [...entries.values()])) {
      if (!Object.hasOwn(UNREAD, key)) continue;
      const message = `${key} is not read here, so what it forbids is not forbidden: ${UNREAD[key]}`;
      this.report.warning('FIELD_UNREAD', message, keyStart);
    }
  }

  private async buckets(hooks: MapNode, root: MapNode): Promise<void> {
    const { report, snapshot, folder, machine } = this;
    for (const { key, keyStart } of hooks.repeated) {
      const message = `hooks.${key} is written twice; the first one would be lost`;
      this.standIn(report.error('FIELD_REPEATED', message, keyStart), bucketAt(key));
    }
    const profile = textAt(root, 'name')?.trim() ? textAt(root, 'name')! : basename(folder);
    const approvalMs = this.approvalWindow(root);
    for (const entry of hooks.entries.values()) {
      const { key, value } = entry;
      const { event } = bucketAt(key);
      if (event === null) this.unknownBucket(entry);
      else if (value.kind !== 'list') {
        const message = `hooks.${key}: wanted a list of hooks, got ${describe(value, JSON_FILE)}`;
        this.standIn(report.error('FIELD_TYPE', message, value.start), bucketAt(key));
      } else {
        for (const [index, node] of value.items.entries()) {
          const place = { report, path: `hooks.${key}[${index}]`, event, position: this.place() };
          this.hooks.push(
            await readEntry(node, { ...place, profile, snapshot, folder, approvalMs, machine }),
          );
        }
      }
    }
  }

  private unknownBucket({ key, keyStart, value }: MapEntry): void {
    const names = Object.keys(BUCKETS);
    const message = `hooks: unknown moment ${JSON.stringify(key)}${didYouMean(key, names)}: moments are ${names.join(', ')}`;
    const problem = this.report.error('EVENT_UNKNOWN', message, keyStart);
    const isEmpty = value.kind === 'list' && value.items.length === 0;
    if (!isEmpty) this.standIn(problem, bucketAt(key));
  }

  /** `security.hitlTimeoutMs`, where the format keeps how long a person may take. */
  private approvalWindow(root: MapNode): number {
    const security = root.entries.get('security')?.value;
    const node = security?.kind === 'map' ? security.entries.get('hitlTimeoutMs')?.value : undefined;
    if (node === undefined) return APPROVAL_WINDOW_MS;
    const value = node.kind === 'scalar' ? node.value : null;
    if (typeof value === 'number' && value > 0) return value;
    const got = describe(node, JSON_FILE);
    const message = `security.hitlTimeoutMs: wanted milliseconds above 0, got ${got}; ${APPROVAL_WINDOW_MS} counts`;
    this.report.warning('FIELD_TYPE', message, node.start);
    return APPROVAL_WINDOW_MS;
  }

  /** What the operator's environment does to this file, said once. */
  private checkOperator(offset: number): void {
    const { report, hooks, machine } = this;
    const off = disabledBy(machine);
    if (off !== null && hooks.length > 0) {
      const many =
        hooks.length === 1 ? '1 hook of this file is' : `all ${hooks.length} hooks of this file are`;
      report.warning('HOOKS_DISABLED', `${many} disabled by ${off}=1`, offset);
    }
    if (hooks.some((hook) => hook.name.endsWith(':webhook'))) {
      for (const problem of webhookAllowList(machine)?.problems ?? []) {
        report.warning('HOOK_CONFIG', `${WEBHOOK_LIST}: ${problem}`, offset);
      }
    }
  }
}

/** What a stand-in for a bucket knows of it. */
function bucketAt(key: string): Pick<BrokenHook, 'name' | 'event'> {
  return { name: `hooks.${key}`, event: Object.hasOwn(BUCKETS, key) ? BUCKETS[key]!.event : null };
}
