/**
 * Reads the `[[hooks]]` of a harn.toml. Each entry becomes a hook or, where it cannot be understood, a stand-in; one bad
 * entry never keeps the others from loading.
 */
import type { Problem } from '../../base/errors.ts';
import { nearest } from '../../base/spelling.ts';
import type { MapNode } from '../../base/tree.ts';
import { describe, JSON_FILE } from '../../files/dialect.ts';
import { readArtifact } from '../../files/read-file.ts';
import { FileReport } from '../../files/report.ts';
import { readTomlTree } from '../../files/toml-tree.ts';
import type { Hook } from '../../hooks/hook.ts';
import type { BrokenHook, ReadResult } from '../project-reader.ts';
import { readEntry } from './entry.ts';
import { FRONT_END_NAME } from './manifest-front-end.ts';
import { Modules } from './modules.ts';

export async function readManifest(dir: string, path: string): Promise<ReadResult> {
  const read = readArtifact(dir, path);
  const report = new FileReport(path, read.ok ? read.text : '');
  const reading = new ManifestReading(report, new Modules(dir));
  if (read.ok) await reading.file(read.text);
  else reading.standIn(report.error(read.code, `${path}: ${read.message}`, 0));
  const { hooks, broken, modules } = reading;
  const reports = [report, ...modules.reports];
  return {
    hooks,
    broken,
    problems: reports.flatMap(({ problems }) => problems),
    files: reports.map(({ source }) => source.name),
  };
}

class ManifestReading {
  readonly hooks: Hook[] = [];
  readonly broken: BrokenHook[] = [];
  readonly modules: Modules;
  private readonly report: FileReport;

  constructor(report: FileReport, modules: Modules) {
    this.report = report;
    this.modules = modules;
  }

  /** Something that hooks may be in cannot be read. */
  standIn(problem: Problem, event: string | null = null, name = this.report.source.name): void {
    this.broken.push({
      name,
      event,
      priority: 0,
      mode: 'enforce',
      source: this.report.source.name,
      position: this.position,
      frontEnd: FRONT_END_NAME,
      problem,
    });
  }

  async file(text: string): Promise<void> {
    const { report } = this;
    const tree = readTomlTree(text);
    if (!tree.ok) {
      this.standIn(report.at('TOML_INVALID', `not TOML: ${tree.message}`, tree));
      return;
    }
    const hooks = tree.root.entries.get('hooks')?.value;
    if (hooks === undefined) {
      this.lookForSlips(tree.root);
    } else if (hooks.kind === 'list') {
      for (const [index, node] of hooks.items.entries()) {
        const path = `hooks[${index}]`;
        if (node.kind === 'map') await this.entry(node, path);
        else {
          const message = `${path}: wanted a table, got ${describe(node, JSON_FILE)}`;
          this.standIn(report.error('FIELD_TYPE', message, node.start), null, path);
        }
      }
    } else {
      const got = hooks.kind === 'map' ? 'one table' : describe(hooks, JSON_FILE);
      const message = `hooks: wanted a list of tables, each headed [[hooks]], got ${got}`;
      this.standIn(report.error('FIELD_TYPE', message, hooks.start));
    }
  }

  private async entry(map: MapNode, path: string): Promise<void> {
    const { report, modules, position } = this;
    const before = report.problems.length;
    const nameFor = (wanted: string, event: string) => this.nameFor(wanted, event);
    const read = await readEntry(map, { report, path, position, modules, nameFor });
    if (read.kind === 'hook') this.hooks.push(read.hook);
    else if (read.kind === 'broken') {
      const problem = read.problem ?? report.firstError(before);
      this.standIn(problem, read.event, read.name);
    }
  }

  private get position(): number {
    return this.hooks.length + this.broken.length;
  }

  /** A manifest has many tables that are none of our business: only what looks like a slip is worth a word. */
  private lookForSlips(root: MapNode): void {
    for (const { key, keyStart } of root.entries.values()) {
      if (nearest(key, ['hooks']) === undefined) continue;
      const message = `unknown key ${JSON.stringify(key)} (did you mean hooks?)`;
      this.report.warning('FIELD_UNKNOWN', message, keyStart);
    }
  }

  /** One function may be registered twice on an event; the trace must tell the two apart. */
  private nameFor(wanted: string, event: string): string {
    const taken = new Set(this.hooks.filter((hook) => hook.event === event).map((hook) => hook.name));
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted} (${count})`;
    return name;
  }
}
