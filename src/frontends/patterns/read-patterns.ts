/**
 * Reads patterns.yaml. Each level becomes a hook; a rule that cannot be understood becomes a stand-in that blocks, and never
 * keeps the others from loading.
 */
import { resolve } from 'node:path';
import { pathProblem } from '../../base/append-file.ts';
import type { ErrorCode, Problem } from '../../base/errors.ts';
import { didYouMean } from '../../base/spelling.ts';
import { isNothing, type MapNode, type Tree } from '../../base/tree.ts';
import { describe } from '../../files/dialect.ts';
import { readArtifact } from '../../files/read-file.ts';
import { FileReport } from '../../files/report.ts';
import { parseYaml } from '../../files/yaml-tree.ts';
import type { Hook } from '../../hooks/hook.ts';
import type { BrokenHook, ReadResult } from '../project-reader.ts';
import { LEVELS, type Level } from './levels.ts';
import { levelBody, patternsFrontEnd } from './patterns-front-end.ts';
import { PRESET_MODES, PRESET_PRIORITY, presetBody, presetsFrontEnd } from './preset-body.ts';
import { PRESETS } from './preset-rules.ts';
import { makeRule, type Rule } from './rule.ts';

const AUDIT_FILE = '.harness/audit/patterns.jsonl';
const TOP_KEYS = ['version', 'description', 'audit', 'presets', 'commands', 'paths'];
const TIMEOUT_MS = 5000;

export function readPatterns(dir: string, path: string): ReadResult {
  const read = readArtifact(dir, path);
  const report = new FileReport(path, read.ok ? read.text : '');
  const reading = new PatternsReading(resolve(dir), report);
  if (read.ok) reading.file(read.text);
  else reading.standIn('patterns.yaml', report.error(read.code, `${path}: ${read.message}`, 0));
  const { hooks, broken } = reading;
  return { hooks, broken, problems: report.problems, files: [path] };
}

class PatternsReading {
  readonly hooks: Hook[] = [];
  readonly broken: BrokenHook[] = [];
  private readonly dir: string;
  private readonly report: FileReport;

  constructor(dir: string, report: FileReport) {
    this.dir = dir;
    this.report = report;
  }

  /** An alert that is broken only warns: it would not have stopped anything either. */
  standIn(name: string, problem: Problem, level?: Level): void {
    this.broken.push({
      name: `patterns:${name}`,
      event: 'tool.pre',
      priority: level?.priority ?? 0,
      mode: level?.action === 'allow' ? 'warn' : 'enforce',
      source: this.report.source.name,
      position: this.position,
      frontEnd: patternsFrontEnd.name,
      problem,
    });
  }

  file(text: string): void {
    const { report } = this;
    const root = parseYaml({ yaml: text, yamlStart: 0, body: '' }, report, 'parse patterns.yaml');
    if (root === null) {
      this.standIn('patterns.yaml', report.problems.find(({ severity }) => severity === 'error')!);
      return;
    }
    this.strangers(root, TOP_KEYS, '');
    const audit = this.auditFile(root.entries.get('audit')?.value);
    this.presets(root.entries.get('presets')?.value, audit);
    for (const section of ['commands', 'paths'] as const) {
      const levels = LEVELS.filter((level) => level.section === section);
      const entry = root.entries.get(section)?.value;
      if (entry === undefined || isNothing(entry)) continue;
      if (entry.kind !== 'map') {
        this.standIn(
          section,
          this.wrong('FIELD_TYPE', `${section} must be a map; got ${describe(entry)}`, entry),
        );
        continue;
      }
      this.strangers(
        entry,
        levels.map(({ name }) => name),
        `${section}.`,
      );
      for (const level of levels) this.level(level, entry.entries.get(level.name)?.value, audit);
    }
  }

  private presets(tree: Tree | undefined, audit: string | null): void {
    if (tree === undefined || isNothing(tree)) return;
    if (tree.kind !== 'map') {
      this.standIn('presets', this.wrong('FIELD_TYPE', `presets must be a map; got ${describe(tree)}`, tree));
      return;
    }
    this.strangers(tree, Object.keys(PRESETS), 'presets.');
    for (const [name, { value, keyStart }] of tree.entries) {
      const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
      if (preset === undefined) continue;
      const mode = PRESET_MODES.find((known) => known === textOf(value));
      if (mode === undefined) {
        const message = `presets.${name} must be one of ${PRESET_MODES.join(', ')}; got ${describe(value)}`;
        this.standIn(`presets.${name}`, this.wrong('FIELD_TYPE', message, value));
        continue;
      }
      this.hooks.push({
        ...this.common(`presets.${name}`, PRESET_PRIORITY[mode], this.report.lineOf(keyStart)),
        description: `${preset.doc} (${mode})`,
        frontEnd: presetsFrontEnd,
        ...(mode === 'audit' && { watches: true as const }),
        onError: mode === 'audit' ? 'allow' : 'block',
        body: presetBody({ name, preset, mode, project: this.dir, audit }),
      });
    }
  }

  private common(name: string, priority: number, line: number) {
    return {
      name: `patterns:${name}`,
      event: 'tool.pre',
      priority,
      source: this.report.source.name,
      position: this.position,
      line,
      origin: 'project',
      mode: 'enforce',
      onWhenError: 'block',
      timeoutMs: TIMEOUT_MS,
      condition: null,
    } as const;
  }

  private level(level: Level, tree: Tree | undefined, audit: string | null): void {
    if (tree === undefined || isNothing(tree)) return;
    const name = `${level.section}.${level.name}`;
    if (tree.kind !== 'list') {
      this.standIn(
        name,
        this.wrong('FIELD_TYPE', `${name} must be a list; got ${describe(tree)}`, tree),
        level,
      );
      return;
    }
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
    const pattern = item.kind === 'map' ? item.entries.get('pattern')?.value : item;
    if (item.kind === 'map') this.unknownKeys(item, ['pattern', 'reason'], `${where}.`);
    const text = textOf(pattern);
    if (text === null) {
      const came = pattern === undefined ? 'nothing' : describe(pattern);
      this.standIn(where, this.wrong('FIELD_TYPE', `${where} must be a pattern; got ${came}`, item), level);
      return [];
    }
    const reason = item.kind === 'map' ? textOf(item.entries.get('reason')?.value) : null;
    const made = makeRule(level, text, reason);
    if (made.ok) return [made.rule];
    const message = `${where}: ${JSON.stringify(text)} is no regular expression: ${made.message}`;
    this.standIn(where, this.wrong('PATTERN_INVALID', message, item), level);
    return [];
  }

  /** `off` for none. A path that leads out of the project is refused, and the usual file takes its place. */
  private auditFile(tree: Tree | undefined): string | null {
    if (tree === undefined || isNothing(tree)) return AUDIT_FILE;
    if (tree.kind === 'scalar' && (tree.value === false || tree.value === 'off')) return null;
    const path = textOf(tree);
    const problem = path === null ? `wanted a path or off, got ${describe(tree)}` : pathProblem(path);
    if (problem === null) return path;
    this.wrong('FIELD_TYPE', `audit: ${problem}`, tree);
    return AUDIT_FILE;
  }

  /** A level whose name is misspelt is a guard that is not there. */
  private strangers(map: MapNode, known: readonly string[], path: string): void {
    for (const [name, { value }] of map.entries) {
      if (known.includes(name)) continue;
      const message = `there is no ${path}${name}${didYouMean(name, known)}`;
      this.standIn(`${path}${name}`, this.wrong('FIELD_UNKNOWN', message, value));
    }
  }

  private unknownKeys(map: MapNode, known: readonly string[], path: string): void {
    for (const [name, { keyStart }] of map.entries) {
      if (known.includes(name)) continue;
      const message = `unknown field ${path}${name} is ignored${didYouMean(name, known)}`;
      this.report.warning('FIELD_UNKNOWN', message, keyStart);
    }
  }

  private wrong(code: ErrorCode, message: string, { start }: Tree): Problem {
    return this.report.error(code, message, start);
  }

  private get position(): number {
    return this.hooks.length + this.broken.length;
  }
}

function textOf(tree: Tree | undefined): string | null {
  if (tree?.kind !== 'scalar' || typeof tree.value !== 'string') return null;
  return tree.value.trim() === '' ? null : tree.value;
}
