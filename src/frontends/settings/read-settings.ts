/**
 * Reads `.harness/settings.json`. Each entry becomes a hook or, where it cannot be understood, a stand-in; one
 * bad entry never keeps the others from loading.
 */
import { posix, resolve } from 'node:path';
import { didYouMean, type MapEntry, type MapNode } from '../../base/index.ts';
import { resolveEvent } from '../../engine/index.ts';
import { describe, type FolderSnapshot, JSON_FILE } from '../../files/index.ts';
import { pathProblem } from '../../machine/index.ts';
import { HookFile } from '../hook-file.ts';
import type { ReadResult } from '../project-reader.ts';
import { type EntryScope, readEntry } from './entry.ts';
import { FOREIGN_EVENTS, SETTINGS_EVENTS, type SettingsEvent, settingsEvent } from './events.ts';
import { settingsFrontEnd } from './settings-front-end.ts';

export async function readSettings(snapshot: FolderSnapshot, path: string): Promise<ReadResult> {
  const file = new HookFile(snapshot, path, settingsFrontEnd.name);
  const reading = new SettingsReading(snapshot, file);
  const root = file.readObject();
  if (root !== null) await reading.read(root);
  const { hooks, broken, capabilities, report } = file;
  return { hooks, broken, capabilities, problems: report.problems, files: [path, ...reading.scripts] };
}

class SettingsReading {
  /** Those inside the project, relative to it. */
  readonly scripts = new Set<string>();
  private readonly snapshot: FolderSnapshot;
  private readonly file: HookFile;

  constructor(snapshot: FolderSnapshot, file: HookFile) {
    this.snapshot = snapshot;
    this.file = file;
  }

  async read(root: MapNode): Promise<void> {
    const { report } = this.file;
    this.checkRepeated(root, 'settings.json');
    this.file.lookForSlips(root);
    const off = root.entries.get('disableAllHooks');
    if (off !== undefined) {
      const message = 'disableAllHooks is not honoured: the hooks of this file are in force';
      report.warning('FIELD_UNKNOWN', message, off.keyStart);
    }
    const hooks = root.entries.get('hooks')?.value;
    if (hooks === undefined) return;
    if (hooks.kind === 'map') {
      this.checkRepeated(hooks, 'hooks');
      for (const entry of hooks.entries.values()) await this.event(entry);
      return;
    }
    const message = `hooks: wanted an object with a key for each event, got ${describe(hooks, JSON_FILE)}`;
    this.file.standIn(report.error('FIELD_TYPE', message, hooks.start));
  }

  /** Of a key written twice the first one is lost, and the guards in it with it. */
  private checkRepeated(map: MapNode, path: string): void {
    for (const { key, keyStart } of map.repeated) {
      const message = `${path}: ${JSON.stringify(key)} is written twice; the first one would be lost`;
      const problem = this.file.report.error('FIELD_REPEATED', message, keyStart);
      if (path === 'hooks') {
        this.file.standIn(problem, { event: eventOf(key)?.event ?? null, name: `hooks.${key}` });
      } else if (key === 'hooks') this.file.standIn(problem);
    }
  }

  private async event(entry: MapEntry): Promise<void> {
    const { file, snapshot } = this;
    const dir = resolve(snapshot.dir);
    const { report } = file;
    const { key, value } = entry;
    const row = eventOf(key);
    if (row === undefined) return this.unknownEvent(entry);
    const { event } = row;
    if (value.kind !== 'list') {
      const message = `hooks.${key}: wanted a list of hooks, got ${describe(value, JSON_FILE)}`;
      file.standIn(report.error('FIELD_TYPE', message, value.start), { event, name: `hooks.${key}` });
      return;
    }
    const names = (script: string) => {
      if (pathProblem(script) === null) this.scripts.add(posix.normalize(script));
    };
    for (const [index, node] of value.items.entries()) {
      const scope: EntryScope = { dir, snapshot, file, report, row, path: `hooks.${key}[${index}]`, names };
      const before = report.problems.length;
      const hooks = await readEntry(node, scope);
      if (hooks !== null) file.hooks.push(...hooks);
      else file.standIn(report.firstError(before), { event, name: scope.path });
    }
  }

  private unknownEvent({ key, keyStart, value }: MapEntry): void {
    const { report } = this.file;
    const names = SETTINGS_EVENTS.map((row) => row.name);
    if (FOREIGN_EVENTS.includes(key)) {
      const message = `hooks.${key}: nothing here fires ${key}, so its hooks never run`;
      report.warning('EVENT_UNKNOWN', message, keyStart);
      return;
    }
    const message = `hooks: unknown event ${JSON.stringify(key)}${didYouMean(key, names)}: events are ${names.join(', ')}`;
    const problem = report.error('EVENT_UNKNOWN', message, keyStart);
    const isEmpty = value.kind === 'list' && value.items.length === 0;
    if (!isEmpty) this.file.standIn(problem, { name: `hooks.${key}` });
  }
}

/** Other spellings of an event that settings.json can name are accepted too. */
function eventOf(key: string): SettingsEvent | undefined {
  const resolved = resolveEvent(key);
  return resolved.ok && resolved.parameter === undefined ? settingsEvent(resolved.event) : undefined;
}
