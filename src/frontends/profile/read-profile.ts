/**
 * Reads the hooks of an agent.json. Everything is checked here, so that a declared hook never silently does not fire; one
 * bad entry never keeps the others from loading.
 */
import { basename, dirname, resolve } from 'node:path';
import type { Problem } from '../../base/errors.ts';
import { didYouMean, nearest } from '../../base/spelling.ts';
import { type MapNode, type Tree, textAt } from '../../base/tree.ts';
import { describe, JSON_FILE } from '../../files/dialect.ts';
import { readJsonTree } from '../../files/json-tree.ts';
import { readArtifact } from '../../files/read-file.ts';
import { FileReport } from '../../files/report.ts';
import type { Hook } from '../../hooks/hook.ts';
import type { BrokenHook, ReadResult } from '../project-reader.ts';
import { BUCKETS } from './buckets.ts';
import { readEntry } from './entry.ts';
import { disabledBy, type Environment, WEBHOOK_LIST, webhookAllowList } from './operator.ts';
import { profileFrontEnd } from './profile-front-end.ts';
import { APPROVAL_WINDOW_MS } from './schema.ts';

export async function readProfiles(
  dir: string,
  paths: readonly string[],
  machine: Environment,
): Promise<ReadResult> {
  const readings = paths.map((path) => new ProfileReading(dir, path, machine));
  for (const reading of readings) reading.read();
  const [, second] = readings;
  if (second !== undefined) {
    const message = `both ${paths.join(' and ')} exist: keep one (until then both are in force)`;
    second.report.error('HOOK_DUPLICATE', message, 0);
  }
  return {
    hooks: readings.flatMap(({ hooks }) => hooks),
    broken: readings.flatMap(({ broken }) => broken),
    problems: readings.flatMap(({ report }) => report.problems),
    files: [...paths],
  };
}

class ProfileReading {
  readonly hooks: Hook[] = [];
  readonly broken: BrokenHook[] = [];
  readonly report: FileReport;
  private readonly text: string;
  private readonly folder: string;
  private readonly machine: Environment;
  private readonly unread: Problem | null;

  constructor(dir: string, path: string, machine: Environment) {
    const read = readArtifact(dir, path);
    this.text = read.ok ? read.text : '';
    this.report = new FileReport(path, this.text);
    this.unread = read.ok ? null : this.report.error(read.code, `${path}: ${read.message}`, 0);
    this.folder = resolve(dir, dirname(path));
    this.machine = machine;
  }

  read(): void {
    const { report } = this;
    if (this.unread !== null) {
      this.standIn(this.unread);
      return;
    }
    const tree = readJsonTree(this.text);
    if (!tree.ok) {
      this.standIn(report.at('JSON_INVALID', `not JSON: ${tree.message}`, tree));
      return;
    }
    const { root } = tree;
    if (root.kind !== 'map') {
      const message = `wanted an object at the top, got ${describe(root, JSON_FILE)}`;
      this.standIn(report.error('FIELD_TYPE', message, root.start));
      return;
    }
    this.checkTop(root);
    const hooks = root.entries.get('hooks')?.value;
    if (hooks === undefined) return;
    if (hooks.kind !== 'map') {
      const message = `hooks: wanted an object with a key for each moment, got ${describe(hooks, JSON_FILE)}`;
      this.standIn(report.error('FIELD_TYPE', message, hooks.start));
      return;
    }
    this.buckets(hooks, root);
    this.checkOperator(hooks.start);
  }

  /** Something that hooks may be in cannot be read: a stand-in takes the place of all of them. */
  private standIn(
    problem: Problem,
    event: string | null = null,
    name = basename(this.report.source.name),
  ): void {
    // Switched off means off, also where nobody can tell what it is that is off. The error stays.
    if (disabledBy(this.machine) !== null) return;
    this.broken.push({
      name,
      event,
      priority: 0,
      mode: 'enforce',
      source: this.report.source.name,
      position: this.hooks.length + this.broken.length,
      frontEnd: profileFrontEnd.name,
      problem,
    });
  }

  /** A profile has many keys that are none of our business: only what looks like a slip is worth a word. */
  private checkTop(root: MapNode): void {
    for (const { key, keyStart } of root.repeated) {
      if (key !== 'hooks') continue;
      const message = 'hooks is written twice; the first one would be lost';
      this.standIn(this.report.error('FIELD_REPEATED', message, keyStart));
    }
    for (const { key, keyStart } of root.entries.values()) {
      if (key === 'hooks' || root.entries.has('hooks') || nearest(key, ['hooks']) === undefined) continue;
      this.report.warning(
        'FIELD_UNKNOWN',
        `unknown key ${JSON.stringify(key)} (did you mean hooks?)`,
        keyStart,
      );
    }
  }

  private buckets(hooks: MapNode, root: MapNode): void {
    const { report, folder, machine } = this;
    for (const { key, keyStart } of hooks.repeated) {
      const message = `hooks.${key} is written twice; the first one would be lost`;
      const event = Object.hasOwn(BUCKETS, key) ? BUCKETS[key]!.event : null;
      this.standIn(report.error('FIELD_REPEATED', message, keyStart), event, `hooks.${key}`);
    }
    const profile = textAt(root, 'name')?.trim() ? textAt(root, 'name')! : basename(folder);
    const approvalMs = this.approvalWindow(root);
    for (const { key, keyStart, value } of hooks.entries.values()) {
      const bucket = Object.hasOwn(BUCKETS, key) ? BUCKETS[key]! : null;
      if (bucket === null) {
        this.unknownBucket(key, keyStart, value);
      } else if (value.kind !== 'list') {
        const message = `hooks.${key}: wanted a list of hooks, got ${describe(value, JSON_FILE)}`;
        this.standIn(report.error('FIELD_TYPE', message, value.start), bucket.event, `hooks.${key}`);
      } else {
        for (const [index, node] of value.items.entries()) {
          const position = this.hooks.length + this.broken.length;
          const path = `hooks.${key}[${index}]`;
          const { event } = bucket;
          this.hooks.push(
            readEntry(node, { report, path, event, position, profile, folder, approvalMs, machine }),
          );
        }
      }
    }
  }

  private unknownBucket(key: string, keyStart: number, value: Tree): void {
    const names = Object.keys(BUCKETS);
    const message = `hooks: unknown moment ${JSON.stringify(key)}${didYouMean(key, names)}: moments are ${names.join(', ')}`;
    const problem = this.report.error('EVENT_UNKNOWN', message, keyStart);
    const isEmpty = value.kind === 'list' && value.items.length === 0;
    if (!isEmpty) this.standIn(problem, null, `hooks.${key}`);
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
