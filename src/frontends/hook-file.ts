/**
 * One file with hooks in it, while it is read: the hooks found so far, a stand-in for each that cannot be understood, and
 * the report. What settings.json, agent.json, harn.toml and patterns.yaml have in common.
 */
import { basename } from 'node:path';
import { type MapNode, nearest, type Problem } from '../base/index.ts';
import type { Hook } from '../engine/index.ts';
import { describe, FileReport, type FolderSnapshot, JSON_FILE, readJsonTree } from '../files/index.ts';
import type { Capability } from './capability.ts';
import type { BrokenHook } from './project-reader.ts';

export class HookFile {
  readonly hooks: Hook[] = [];
  readonly broken: BrokenHook[] = [];
  readonly report: FileReport;
  /** Null if it could not be read: there is a stand-in for all of it. */
  readonly text: string | null;
  private readonly frontEnd: string;
  private places = 0;

  constructor(snapshot: FolderSnapshot, path: string, frontEnd: string) {
    const read = snapshot.text(path);
    this.frontEnd = frontEnd;
    this.text = read.ok ? read.text : null;
    this.report = new FileReport(path, this.text ?? '');
    if (!read.ok) this.standIn(this.report.error(read.code, `${path}: ${read.message}`, 0));
  }

  /** Something that hooks may be in cannot be read; without an event, a stand-in takes the place of all of them. */
  standIn(problem: Problem, more: Partial<BrokenHook> = {}): void {
    const source = this.report.source.name;
    const unknown = { name: basename(source), event: null, priority: 0, mode: 'enforce' } as const;
    this.broken.push({
      ...unknown,
      source,
      position: this.place(),
      frontEnd: this.frontEnd,
      problem,
      ...more,
    });
  }

  /** What its hooks run or reach. */
  get capabilities(): Capability[] {
    return this.hooks.flatMap(({ capability }) =>
      capability === undefined ? [] : [capability as Capability],
    );
  }

  /** The place of the next hook in the file. */
  place(): number {
    return this.places++;
  }

  /** One script may be registered twice on an event; the trace must tell the two apart. */
  nameFor(wanted: string, event: string): string {
    const taken = new Set(this.hooks.filter((hook) => hook.event === event).map((hook) => hook.name));
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted} (${count})`;
    return name;
  }

  /** The object of a JSON file, or null after standing in for it. */
  readObject(): MapNode | null {
    if (this.text === null) return null;
    const tree = readJsonTree(this.text);
    if (!tree.ok) this.standIn(this.report.at('JSON_INVALID', `not JSON: ${tree.message}`, tree));
    else if (tree.root.kind === 'map') return tree.root;
    else {
      const message = `wanted an object at the top, got ${describe(tree.root, JSON_FILE)}`;
      this.standIn(this.report.error('FIELD_TYPE', message, tree.root.start));
    }
    return null;
  }

  /** Such files have many keys that are none of our business: only what looks like a slip is worth a word. */
  lookForSlips(root: MapNode): void {
    for (const { key, keyStart } of root.entries.values()) {
      if (key === 'hooks' || nearest(key, ['hooks']) === undefined) continue;
      const message = `unknown key ${JSON.stringify(key)} (did you mean hooks?)`;
      this.report.warning('FIELD_UNKNOWN', message, keyStart);
    }
  }
}
