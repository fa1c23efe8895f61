/**
 * Frontmatter as a tree of data with places: YAML reduced to maps with string keys, lists and scalars. What artifacts
 * have no use for (custom tags, merge keys, duplicate keys, aliases that multiply) is refused here.
 */
import type { Document, Node as YamlNode } from 'yaml';
import {
  type MapEntry,
  type MapNode,
  mapNode,
  type ScalarNode,
  type ScalarStyle,
  type Tree,
} from '../base/index.ts';
import type { Frontmatter } from './frontmatter.ts';
import type { FileReport } from './report.ts';

const MAX_DEPTH = 64;
/** Nodes after aliases are followed: an alias bomb is a few lines that stand for billions. */
const MAX_NODES = 100_000;
const MAX_ERRORS = 5;

const STYLES: Readonly<Record<string, ScalarStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

const TAG_PREFIX = 'tag:yaml.org,2002:';
const TAGS = new Set(['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => TAG_PREFIX + name));

/** What usually stands behind a message of the YAML parser. */
const HINTS: Readonly<Record<string, string>> = {
  UNEXPECTED_TOKEN:
    'a value that begins with a quote ends at the next one: put the whole value in single quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a value that holds ": " must be quoted or written as a block with |',
  BAD_INDENT: 'every line of a script must be indented at least as far as its first line',
  MULTIPLE_DOCS: 'a line of three dots ends YAML',
};

type Library = typeof import('yaml');

/** Loading the parser takes longer than a command does otherwise, so it waits for a file that needs it. */
let library: Library | null = null;
function loadLibrary(): Library {
  try {
    // In a CommonJS bundle this is the copy that the bundler has put in.
    return (library = require('yaml'));
  } catch {
    // In a module there is no such function, or only one that refuses.
    return (library = process.getBuiltinModule('node:module').createRequire(import.meta.url)('yaml'));
  }
}

/** The tree of the frontmatter, or null after reporting why there is none. `parsing` begins every message. */
export function parseYaml(parts: Frontmatter, report: FileReport, parsing: string): MapNode | null {
  const yaml = library ?? loadLibrary();
  const refuse = (message: string, offset: number) => {
    const at = parts.yamlStart + Math.min(offset, Math.max(0, parts.yaml.length - 1));
    report.error('YAML_INVALID', report.inYaml(parsing, message, at), at);
    return null;
  };
  // Uniqueness is checked below with a set; the library compares every pair of keys.
  const document = yaml.parseDocument(parts.yaml, { uniqueKeys: false, prettyErrors: false, merge: false });
  const faults = [...document.errors, ...document.warnings].slice(0, MAX_ERRORS);
  const said = new Set<number>();
  for (const { code, message, pos } of faults) {
    const indented = /IMPLICIT_KEY$|^BAD_INDENT$/.test(code) ? indentedKey(parts.yaml, pos[0]) : null;
    const at = indented?.offset ?? pos[0];
    const line = parts.yaml.slice(0, at).split('\n').length;
    // The parser finds one mistake several times.
    if (said.has(line)) continue;
    said.add(line);
    const hint = HINTS[code] === undefined ? '' : ` (${HINTS[code]})`;
    refuse(indented?.message ?? lowerFirst(message) + hint, at);
  }
  if (faults.length > 0) return null;
  const root = document.contents;
  if (root === null) return mapNode(parts.yamlStart);
  if (!yaml.isMap(root)) return refuse('the frontmatter must be a map of fields', root.range?.[0] ?? 0);
  try {
    return new Converter(yaml, document, parts.yamlStart).convert(root, 0) as MapNode;
  } catch (thrown) {
    if (thrown instanceof Refusal) return refuse(thrown.message, thrown.offset);
    throw thrown;
  }
}

const KEY_LINE = /^( *)(?:- +)?([\w.-]+):(?: (.*))?$/;

/** A key that stands further in than the one above it, which has a value of its own: to the parser the two are one value. */
function indentedKey(yaml: string, offset: number): { message: string; offset: number } | null {
  const before = yaml.slice(0, offset).split('\n').length - 1;
  const lines = yaml.split('\n');
  for (const at of [before, before + 1]) {
    const [above, key] = [KEY_LINE.exec(lines[at - 1] ?? ''), KEY_LINE.exec(lines[at] ?? '')];
    if (above === null || key === null || (above[3] ?? '').trim() === '') continue;
    const column = above[0].indexOf(above[2]!);
    const found = key[0].indexOf(key[2]!);
    if (found <= column) continue;
    const start = lines.slice(0, at).join('\n').length + 1 + found;
    const message = `the key ${key[2]} begins in column ${found + 1}, and ${above[2]} above it in column ${column + 1}: keys of one map begin in the same column`;
    return { message, offset: start };
  }
  return null;
}

class Refusal extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

class Converter {
  private readonly yaml: Library;
  private readonly document: Document;
  private readonly base: number;
  /** Anchored nodes already converted; an alias shares the result, so a bomb costs nothing until it is counted. */
  private readonly done = new Map<YamlNode, Tree | null>();
  /** How many nodes a tree stands for. */
  private readonly sizes = new Map<Tree, number>();

  constructor(yaml: Library, document: Document, base: number) {
    this.yaml = yaml;
    this.document = document;
    this.base = base;
  }

  convert(node: YamlNode, depth: number): Tree {
    const offset = node.range?.[0] ?? 0;
    if (depth > MAX_DEPTH) throw new Refusal(`nested more than ${MAX_DEPTH} levels deep`, offset);
    if (this.yaml.isAlias(node)) return this.follow(node.resolve(this.document), node.source, offset, depth);
    if (node.tag !== undefined && !TAGS.has(node.tag)) {
      throw new Refusal(`the tag ${node.tag.replace(TAG_PREFIX, '!!')} is not allowed`, offset);
    }
    this.done.set(node, null);
    const tree = this.build(node, depth, offset);
    this.done.set(node, tree);
    return tree;
  }

  private follow(target: YamlNode | undefined, name: string, offset: number, depth: number): Tree {
    if (target === undefined) throw new Refusal(`no anchor &${name} before the alias *${name}`, offset);
    const tree = this.done.get(target);
    if (tree === null) throw new Refusal(`the alias *${name} stands for a value that holds it`, offset);
    return tree ?? this.convert(target, depth);
  }

  private build(node: YamlNode, depth: number, offset: number): Tree {
    const start = this.base + offset;
    if (this.yaml.isScalar(node)) {
      const value = node.value;
      if (value !== null && typeof value === 'object')
        throw new Refusal('this value is not plain data', offset);
      const style = STYLES[node.type ?? 'PLAIN'] ?? 'plain';
      const end = this.base + (node.range?.[1] ?? offset);
      return { kind: 'scalar', value: value as ScalarNode['value'], style, start, end };
    }
    if (this.yaml.isSeq<YamlNode | null>(node)) {
      const items = node.items.map((item) => this.child(item, depth, offset));
      return this.count({ kind: 'list', items, start }, items, offset);
    }
    if (this.yaml.isMap<YamlNode, YamlNode | null>(node)) {
      const entries = new Map<string, MapEntry>();
      for (const { key, value } of node.items) {
        const keyOffset = key.range?.[0] ?? offset;
        if (!this.yaml.isScalar(key) || typeof key.value === 'object')
          throw new Refusal('a key must be plain text', keyOffset);
        const name = String(key.value);
        if (entries.has(name)) throw new Refusal(`the key ${JSON.stringify(name)} is given twice`, keyOffset);
        const keyStart = this.base + keyOffset;
        entries.set(name, { key: name, keyStart, value: this.child(value, depth, keyOffset) });
      }
      const children = [...entries.values()].map((entry) => entry.value);
      return this.count(mapNode(start, entries), children, offset);
    }
    throw new Refusal('this value is not plain data', offset);
  }

  private child(node: YamlNode | null, depth: number, offset: number): Tree {
    if (node !== null) return this.convert(node, depth + 1);
    const at = this.base + offset;
    return { kind: 'scalar', value: null, style: 'plain', start: at, end: at };
  }

  private count<T extends Tree>(tree: T, children: readonly Tree[], offset: number): T {
    const size = children.reduce((sum, child) => sum + (this.sizes.get(child) ?? 1), 1);
    if (size > MAX_NODES)
      throw new Refusal(`more than ${MAX_NODES} values once aliases are followed`, offset);
    this.sizes.set(tree, size);
    return tree;
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
