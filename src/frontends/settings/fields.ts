/**
 * One object of settings.json checked against its table of fields: every mistake goes into the file's report with its
 * place, and the values that are right can be asked for by name.
 */

import { didYouMean } from '../../base/spelling.ts';
import { type JsonMap, type JsonNode, jsonKind } from '../../files/json-tree.ts';
import type { FileReport } from '../../files/report.ts';
import type { SettingsField, Shape } from './schema.ts';

export class SettingsFields {
  readonly map: JsonMap;
  /** Something in it is wrong, so the hook cannot be what its author meant. */
  broken = false;
  private readonly path: string;
  private readonly report: FileReport;

  constructor(map: JsonMap, path: string, fields: readonly SettingsField[], report: FileReport) {
    this.map = map;
    this.path = path;
    this.report = report;
    for (const { key, keyStart } of map.repeated) {
      this.wrong('FIELD_REPEATED', `${path}: ${JSON.stringify(key)} is written twice`, keyStart);
    }
    for (const { key, keyStart, value } of map.entries.values()) {
      const field = fields.find((known) => known.name === key);
      if (field !== undefined) {
        this.check(field, value);
        continue;
      }
      const names = fields.map((known) => known.name);
      const message = `${path}: unknown key ${JSON.stringify(key)}${didYouMean(key, names)}`;
      report.warning('FIELD_UNKNOWN', message, keyStart);
    }
    for (const field of fields) {
      if (field.required && !map.entries.has(field.name)) {
        this.wrong('FIELD_MISSING', `${path}: ${field.name} is missing`, map.start);
      }
    }
  }

  node(name: string): JsonNode | undefined {
    return this.map.entries.get(name)?.value;
  }

  text(name: string): string | undefined {
    const node = this.node(name);
    return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
  }

  number(name: string): number | undefined {
    const node = this.node(name);
    return node?.kind === 'scalar' && typeof node.value === 'number' ? node.value : undefined;
  }

  texts(name: string): readonly string[] | undefined {
    const node = this.node(name);
    if (node?.kind !== 'list') return undefined;
    return node.items.map((item) => (item.kind === 'scalar' ? String(item.value) : ''));
  }

  wrong(code: Parameters<FileReport['error']>[0], message: string, offset: number): void {
    this.broken = true;
    this.report.error(code, message, offset);
  }

  private check({ name, shape }: SettingsField, node: JsonNode): void {
    const where = `${this.path}.${name}`;
    if (shape.kind === 'ignored') {
      if (shape.why !== '') {
        this.report.warning('FIELD_UNKNOWN', `${where} is not honoured: ${shape.why}`, node.start);
      }
      return;
    }
    const wanted = misfit(shape, node);
    if (wanted !== null) this.wrong('FIELD_TYPE', `${where}: ${wanted}`, node.start);
    else if (shape.kind === 'number') {
      const odd = shape.odd((node as { value: number }).value);
      if (odd !== null) this.report.warning('FIELD_TYPE', `${where}: ${odd}`, node.start);
    }
  }
}

/** What was wanted and what came, or null where it fits. */
function misfit(shape: Exclude<Shape, { kind: 'ignored' }>, node: JsonNode): string | null {
  const value = node.kind === 'scalar' ? node.value : undefined;
  const got = `got ${jsonKind(node)}`;
  switch (shape.kind) {
    case 'text':
      if (typeof value !== 'string') return `wanted a string, ${got}`;
      return value.trim() === '' && shape.blank !== true ? 'wanted a string, got an empty one' : null;
    case 'texts':
      return isTexts(node) ? null : `wanted a list of strings, ${got}`;
    case 'number':
      if (typeof value !== 'number') return `wanted a number of ${shape.unit}, ${got}`;
      return value > 0 ? null : `wanted ${shape.unit} above 0, got ${value}`;
    case 'choice': {
      if (typeof value === 'string' && shape.of.includes(value)) return null;
      const said =
        typeof value === 'string' ? JSON.stringify(value) + didYouMean(value, shape.of) : jsonKind(node);
      return `wanted ${shape.of.join(' or ')}, got ${said}`;
    }
    case 'matcher':
      return node.kind === 'map' || typeof value === 'string' ? null : `wanted an object or a string, ${got}`;
    case 'handlers':
      return node.kind === 'list' ? null : `wanted a list of commands, ${got}`;
  }
}

function isTexts(node: JsonNode): boolean {
  return (
    node.kind === 'list' &&
    node.items.every((item) => item.kind === 'scalar' && typeof item.value === 'string')
  );
}
