/**
 * Reads `.harness/settings.json`. Each entry becomes a hook or, where it cannot be understood, a stand-in; one
 * bad entry never keeps the others from loading.
 */
import { posix, resolve } from 'node:path';
import { pathProblem } from '../../base/append-file.ts';
import type { Problem } from '../../base/errors.ts';
import { didYouMean, nearest } from '../../base/spelling.ts';
import type { MapEntry, MapNode, Tree } from '../../base/tree.ts';
import { resolveEvent } from '../../events/resolve.ts';
import { describe, JSON_FILE } from '../../files/dialect.ts';
import { readJsonTree } from '../../files/json-tree.ts';
import { readArtifact } from '../../files/read-file.ts';
import { FileReport } from '../../files/report.ts';
import type { Hook } from '../../hooks/hook.ts';
import type { BrokenHook, ReadResult } from '../project-reader.ts';
import { type EntryScope, readEntry } from './entry.ts';
import { FOREIGN_EVENTS, SETTINGS_EVENTS, type SettingsEvent, settingsEvent } from './events.ts';
import { settingsFrontEnd } from './settings-front-end.ts';

export async function readSettings(dir: string, path: string): Promise<ReadResult> {
  const read = readArtifact(dir, path);
  const report = new FileReport(path, read.ok ? read.text : '');
  const reading = new SettingsReading(resolve(dir), report);
  if (!read.ok) reading.unusable(report.error(read.code, `${path}: ${read.message}`, 0));
  else await reading.file(read.text);
  const { hooks, broken, scripts } = reading;
  return { hooks, broken, problems: report.problems, files: [path, ...scripts] };
}

class SettingsReading {
  readonly hooks: Hook[] = [];
  readonly broken: BrokenHook[] = [];
  /** Those inside the project, relative to it. */
  readonly scripts = new Set<string>();
  private readonly dir: string;
  private readonly report: FileReport;
  private position = 0;

  constructor(dir: string, report: FileReport) {
    this.dir = dir;
    this.report = report;
  }

  /** Something that hooks may be in cannot be read: a stand-in takes the place of all of them. */
  unusable(problem: Problem, event: string | null = null, name = 'settings.json'): void {
    const { position, report } = this;
    this.broken.push({
      name,
      event,
      priority: 0,
      mode: 'enforce',
      source: report.source.name,
      position,
      frontEnd: settingsFrontEnd.name,
      problem,
    });
  }

  async file(text: string): Promise<void> {
    const { report } = this;
    const tree = readJsonTree(text);
    if (!tree.ok) {
      this.unusable(report.at('JSON_INVALID', `not JSON: ${tree.message}`, tree));
      return;
    }
    const { root } = tree;
    if (root.kind !== 'map') {
      const message = `wanted an object at the top, got ${describe(root, JSON_FILE)}`;
      this.unusable(report.error('FIELD_TYPE', message, root.start));
      return;
    }
    this.checkTop(root);
    const hooks = root.entries.get('hooks')?.value;
    if (hooks === undefined) return;
    if (hooks.kind === 'map') {
      this.checkRepeated(hooks, 'hooks');
      for (const entry of hooks.entries.values()) await this.event(entry);
      return;
    }
    const message = `hooks: wanted an object with a key for each event, got ${describe(hooks, JSON_FILE)}`;
    this.unusable(report.error('FIELD_TYPE', message, hooks.start));
  }

  /** Other programs keep their settings in such a file too, so only what looks like a slip is worth a word. */
  private checkTop(root: MapNode): void {
    this.checkRepeated(root, 'settings.json');
    for (const { key, keyStart } of root.entries.values()) {
      if (key === 'disableAllHooks') {
        const message = 'disableAllHooks is not honoured: the hooks of this file are in force';
        this.report.warning('FIELD_UNKNOWN', message, keyStart);
      } else if (key !== 'hooks' && nearest(key, ['hooks']) !== undefined) {
        this.report.warning(
          'FIELD_UNKNOWN',
          `unknown key ${JSON.stringify(key)} (did you mean hooks?)`,
          keyStart,
        );
      }
    }
  }

  /** Of a key written twice the first one is lost, and the guards in it with it. */
  private checkRepeated(map: MapNode, path: string): void {
    for (const { key, keyStart } of map.repeated) {
      const message = `${path}: ${JSON.stringify(key)} is written twice; the first one would be lost`;
      const problem = this.report.error('FIELD_REPEATED', message, keyStart);
      if (path === 'hooks') this.unusable(problem, eventOf(key)?.event ?? null, `hooks.${key}`);
      else if (key === 'hooks') this.unusable(problem);
    }
  }

  private async event({ key, keyStart, value }: MapEntry): Promise<void> {
    const { report } = this;
    const row = eventOf(key);
    if (row === undefined) {
      this.unknownEvent(key, keyStart, value);
      return;
    }
    if (value.kind !== 'list') {
      const message = `hooks.${key}: wanted a list of hooks, got ${describe(value, JSON_FILE)}`;
      this.unusable(report.error('FIELD_TYPE', message, value.start), row.event, `hooks.${key}`);
      return;
    }
    for (const [index, node] of value.items.entries()) {
      const scope: EntryScope = {
        dir: this.dir,
        report,
        row,
        path: `hooks.${key}[${index}]`,
        place: () => this.position++,
        nameFor: (wanted) => this.nameFor(wanted, row),
        names: (script) => {
          if (pathProblem(script) === null) this.scripts.add(posix.normalize(script));
        },
      };
      const before = report.problems.length;
      const hooks = await readEntry(node, scope);
      if (hooks !== null) this.hooks.push(...hooks);
      else this.unusable(report.firstError(before), row.event, scope.path);
    }
  }

  private unknownEvent(key: string, keyStart: number, value: Tree): void {
    const names = SETTINGS_EVENTS.map((row) => row.name);
    if (FOREIGN_EVENTS.includes(key)) {
      const message = `hooks.${key}: nothing here fires ${key}, so its hooks never run`;
      this.report.warning('EVENT_UNKNOWN', message, keyStart);
      return;
    }
    const message = `hooks: unknown event ${JSON.stringify(key)}${didYouMean(key, names)}: events are ${names.join(', ')}`;
    const problem = this.report.error('EVENT_UNKNOWN', message, keyStart);
    const isEmpty = value.kind === 'list' && value.items.length === 0;
    if (!isEmpty) this.unusable(problem, null, `hooks.${key}`);
  }

  /** One script may be registered twice on an event; the trace must tell the two apart. */
  private nameFor(wanted: string, row: SettingsEvent): string {
    const taken = new Set(this.hooks.filter((hook) => hook.event === row.event).map((hook) => hook.name));
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted} (${count})`;
    return name;
  }
}

/** Other spellings of an event that settings.json can name are accepted too. */
function eventOf(key: string): SettingsEvent | undefined {
  const resolved = resolveEvent(key);
  return resolved.ok && resolved.parameter === undefined ? settingsEvent(resolved.event) : undefined;
}
