/**
 * Reads patterns.yaml. Each level becomes a hook; a rule that cannot be understood becomes a stand-in that blocks, and never
 * keeps the others from loading.
 */
import { resolve } from 'node:path';
import {
  check,
  type Fault,
  isError,
  type MapNode,
  type Problem,
  pathText,
  type Tree,
  textAt,
  toData,
} from '../../base/index.ts';
import { describe, type FolderSnapshot, parseYaml, placed } from '../../files/index.ts';
import { pathProblem } from '../../machine/index.ts';
import { HookFile } from '../hook-file.ts';
import type { BrokenHook, ReadResult } from '../project-reader.ts';
import { LEVELS, type Level } from './levels.ts';
import { levelBody, patternsFrontEnd } from './patterns-front-end.ts';
import { PRESET_MODES, PRESET_PRIORITY, presetBody, presetsFrontEnd } from './preset-body.ts';
import { PRESETS } from './preset-rules.ts';
import { makeRule, type Rule } from './rule.ts';
import { AUDIT_FILE, PATTERNS_FILE } from './schema.ts';

const TIMEOUT_MS = 5000;

export function readPatterns(snapshot: FolderSnapshot, path: string): ReadResult {
  const file = new PatternsFile(snapshot, path);
  file.read();
  const { hooks, broken, report } = file;
  return { hooks, broken, problems: report.problems, files: [path] };
}

class PatternsFile extends HookFile {
  private readonly dir: string;
  /** What is wrong, by its path: it is passed over, and something stands in for it. */
  private readonly wrong = new Set<string>();

  constructor(snapshot: FolderSnapshot, path: string) {
    super(snapshot, path, patternsFrontEnd.name);
    this.dir = resolve(snapshot.dir);
  }

  override standIn(problem: Problem, { name = 'patterns.yaml', ...more }: Partial<BrokenHook> = {}): void {
    super.standIn(problem, { event: 'tool.pre', ...more, name: `patterns:${name}` });
  }

  read(): void {
    const { report, text } = this;
    if (text === null) return;
    const root = parseYaml({ yaml: text, yamlStart: 0, body: '' }, report, 'parse patterns.yaml');
    if (root === null) {
      this.standIn(report.firstError());
      return;
    }
    this.check(root);
    const audit = this.auditFile(root.entries.get('audit')?.value);
    const presets = mapAt(root, 'presets');
    for (const name of presets?.entries.keys() ?? []) this.preset(name, presets!, audit);
    for (const level of LEVELS)
      this.level(level, mapAt(root, level.section)?.entries.get(level.name)?.value, audit);
  }

  /** What is wrong with a part becomes a stand-in for that part; of very many, the rest is one for the whole file. */
  private check(root: MapNode): void {
    const { report } = this;
    const faults = check(PATTERNS_FILE, toData(root));
    const told = placed(faults, root);
    for (const { fault, code, message, offset } of told) {
      const [section, name] = fault.path;
      const part = partOf(fault);
      if (!isError(fault)) report.warning(code, message, offset);
      else if (section === 'audit') report.error(code, message, offset);
      else if (!this.wrong.has(part)) {
        const level = LEVELS.find((each) => each.section === section && each.name === name);
        this.refuse(part, report.error(code, message, offset), level);
      }
    }
    for (const fault of faults.filter(isError)) this.wrong.add(partOf(fault));
    if (told.length < faults.length || faults.some(({ kind }) => kind === 'too complex')) {
      this.standIn(report.firstError());
    }
  }

  /** An alert that is broken only warns: it would not have stopped anything either. */
  private refuse(name: string, problem: Problem, level?: Level): void {
    this.wrong.add(name);
    const mode = level?.action === 'allow' ? 'warn' : 'enforce';
    this.standIn(problem, { name, priority: level?.priority ?? 0, mode });
  }

  private preset(name: string, presets: MapNode, audit: string | null): void {
    const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
    const mode = PRESET_MODES.find((known) => known === textAt(presets, name));
    if (preset === undefined || mode === undefined) return;
    const { keyStart } = presets.entries.get(name)!;
    this.hooks.push({
      ...this.common(`presets.${name}`, PRESET_PRIORITY[mode], this.report.lineOf(keyStart)),
      description: `${preset.doc} (${mode})`,
      frontEnd: presetsFrontEnd,
      ...(mode === 'audit' && { watches: true as const }),
      onError: mode === 'audit' ? 'allow' : 'block',
      body: presetBody({ name, preset, mode, project: this.dir, audit }),
    });
  }

  private common(name: string, priority: number, line: number) {
    return {
      name: `patterns:${name}`,
      event: 'tool.pre',
      priority,
      source: this.report.source.name,
      position: this.place(),
      line,
      origin: 'project',
      mode: 'enforce',
      onWhenError: 'block',
      timeoutMs: TIMEOUT_MS,
      condition: null,
    } as const;
  }

  private level(level: Level, tree: Tree | undefined, audit: string | null): void {
    if (tree?.kind !== 'list') return;
    const name = `${level.section}.${level.name}`;
    const rules = tree.items.flatMap((item, at) => this.rule(level, item, `${name}[${at}]`));
    if (rules.length === 0) return;
    const { dir, report } = this;
    this.hooks.push({
      ...this.common(name, level.priority, report.lineOf(tree.start)),
      description: `${rules.length} ${rules.length === 1 ? 'pattern' : 'patterns'}: what matches ${level.says}.`,
      frontEnd: patternsFrontEnd,
      ...(level.action === 'allow' && { watches: true as const }),
      onError: level.action === 'allow' ? 'allow' : 'block',
      body: levelBody({ level, rules, project: dir, audit }),
    });
  }

  private rule(level: Level, item: Tree, where: string): Rule[] {
    if (this.wrong.has(where)) return [];
    const text = item.kind === 'map' ? (textAt(item, 'pattern') ?? '') : String(toData(item));
    const reason = item.kind === 'map' ? textAt(item, 'reason') : undefined;
    const made = makeRule(level, text, reason?.trim() ? reason : null);
    if (made.ok) return [made.rule];
    const message = `${where}: ${JSON.stringify(text)} is no regular expression: ${made.message}`;
    this.refuse(where, this.report.error('PATTERN_INVALID', message, item.start), level);
    return [];
  }

  /** `off` for none. A path that leads out of the project is refused, and the usual file takes its place. */
  private auditFile(tree: Tree | undefined): string | null {
    const written = tree === undefined ? null : toData(tree);
    if (written === false || written === 'off') return null;
    if (typeof written !== 'string' && written !== true) return AUDIT_FILE;
    const problem = written === true ? `wanted a path or off, got ${describe(tree!)}` : pathProblem(written);
    if (problem === null) return String(written);
    this.report.error('FIELD_TYPE', `audit: ${problem}`, tree!.start);
    return AUDIT_FILE;
  }
}

function mapAt(root: MapNode, key: string): MapNode | undefined {
  const tree = root.entries.get(key)?.value;
  return tree?.kind === 'map' ? tree : undefined;
}

/** `commands.blocked[2]`: a rule is right or wrong as a whole. */
function partOf({ path }: Fault): string {
  return pathText(path.slice(0, 3));
}
