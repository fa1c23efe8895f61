/**
 * The modules a manifest names, each read once. A module that cannot be used has its problem in a report of its own.
 */
import { join, resolve } from 'node:path';
import type { Problem } from '../../base/index.ts';
import { FileReport, type FolderSnapshot } from '../../files/index.ts';
import type { Library } from '../../script/index.ts';
import { CodeModule, typeScriptProblem } from './code-module.ts';
import { findModule } from './handler.ts';
import { StarModule } from './star-module.ts';

export type FoundModule =
  | { readonly kind: 'missing'; readonly message: string }
  | { readonly kind: 'broken'; readonly problem: Problem }
  | Usable<'star', StarModule>
  | Usable<'code', CodeModule>;

interface Usable<K, M> {
  readonly kind: K;
  /** Relative to the project. */
  readonly file: string;
  readonly module: M;
  /** Worth a warning, and said once. */
  readonly remark: string | null;
}

export class Modules {
  readonly reports: FileReport[] = [];
  /** Absolute. */
  readonly dir: string;
  readonly snapshot: FolderSnapshot;
  private readonly library: Library | null;
  private readonly known = new Map<string, FoundModule>();

  constructor(snapshot: FolderSnapshot, library: Library | null) {
    this.snapshot = snapshot;
    this.dir = resolve(snapshot.dir);
    this.library = library;
  }

  find(name: string): FoundModule {
    const before = this.known.get(name);
    if (before !== undefined) return 'remark' in before ? { ...before, remark: null } : before;
    const found = this.read(name);
    this.known.set(name, found);
    return found;
  }

  private read(name: string): FoundModule {
    const found = findModule(this.dir, name);
    if (!found.ok) return { kind: 'missing', message: found.message };
    const { path, kind, shadowed } = found.file;
    const read = this.snapshot.text(path);
    const report = new FileReport(path, read.ok ? read.text : '');
    this.reports.push(report);
    if (!read.ok) return { kind: 'broken', problem: report.error(read.code, `${path}: ${read.message}`, 0) };
    const other = shadowed.length === 0 ? null : `${path} is used, not ${shadowed.join(', ')}`;
    if (kind === 'star') {
      return { kind, file: path, module: new StarModule(report, this.library), remark: other };
    }
    const full = join(this.dir, path);
    const untyped = path.endsWith('.ts') ? typeScriptProblem(full) : null;
    const module = new CodeModule(full, path, read.text, this.snapshot.digest(path));
    return { kind, file: path, module, remark: untyped === null ? other : `${path}: ${untyped}` };
  }
}
