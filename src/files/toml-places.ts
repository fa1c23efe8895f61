/**
 * Where each key and value of a TOML text stands. The parser gives data without places; this walks text it has accepted
 * and only has to find them.
 */

export interface TomlLocation {
  readonly key: number;
  readonly value: number;
}

/** From `pathKey` of a path to its place. Items of arrays are named by their number. */
export type TomlLocations = ReadonlyMap<string, TomlLocation>;

export type TomlPath = readonly (string | number)[];

export function pathKey(path: TomlPath): string {
  return JSON.stringify(path);
}

export function tomlLocations(text: string): TomlLocations {
  const walker = new Walker(text);
  walker.document();
  return walker.places;
}

const BLANK = /(?:[ \t\r\n]|#[^\n]*)*/y;
const SPACE = /[ \t]*/y;
const KEY = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s."'=[\]{},#]+/y;
const STRING = /"""(?:[^\\]|\\[\s\S])*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;
const BARE = /[^,\]}\n#]*/y;

class Walker {
  readonly places = new Map<string, TomlLocation>();
  private readonly text: string;
  private at = 0;
  /** Of each array of tables, the number of its last table. */
  private readonly last = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
  }

  document(): void {
    let table: TomlPath = [];
    for (this.skip(BLANK); this.at < this.text.length; this.skip(BLANK)) {
      const before = this.at;
      if (this.text[before] === '[') table = this.header();
      else this.entry(table);
      // Never for text the parser accepts; a walk that stands still would go on for ever.
      if (this.at === before) this.at++;
    }
  }

  private header(): TomlPath {
    const start = this.at;
    const many = this.text.startsWith('[[', start);
    this.at += many ? 2 : 1;
    const keys = this.keys();
    const parent = this.resolve(keys.slice(0, -1));
    const own = [...parent, keys.at(-1) ?? ''];
    this.take(']');
    if (many) this.take(']');
    if (!many) return this.note(this.resolve(keys), start, start);
    const index = (this.last.get(pathKey(own)) ?? -1) + 1;
    this.last.set(pathKey(own), index);
    if (index === 0) this.note(own, start, start);
    return this.note([...own, index], start, start);
  }

  /** A table below an array of tables belongs to the last of them. */
  private resolve(keys: readonly string[]): TomlPath {
    let path: TomlPath = [];
    for (const key of keys) {
      path = [...path, key];
      const index = this.last.get(pathKey(path));
      if (index !== undefined) path = [...path, index];
    }
    return path;
  }

  private entry(table: TomlPath): void {
    const start = this.at;
    const path = [...table, ...this.keys()];
    this.take('=');
    this.skip(SPACE);
    this.note(path, start, this.at);
    this.value(path);
  }

  private keys(): string[] {
    const keys: string[] = [];
    do {
      this.skip(SPACE);
      keys.push(unquoted(this.skip(KEY)));
      this.skip(SPACE);
    } while (this.take('.'));
    return keys;
  }

  private value(path: TomlPath): void {
    const open = this.text[this.at];
    if (open === '[') this.list(path);
    else if (open === '{') this.table(path);
    else if (this.skip(STRING) === '') this.skip(BARE);
  }

  private list(path: TomlPath): void {
    this.at++;
    for (let index = 0; ; index++) {
      this.skip(BLANK);
      if (this.at >= this.text.length || this.take(']')) return;
      this.note([...path, index], this.at, this.at);
      this.value([...path, index]);
      this.skip(BLANK);
      if (!this.take(',')) {
        this.take(']');
        return;
      }
    }
  }

  private table(path: TomlPath): void {
    this.at++;
    for (;;) {
      this.skip(BLANK);
      if (this.at >= this.text.length || this.take('}')) return;
      this.entry(path);
      this.skip(BLANK);
      if (!this.take(',')) {
        this.take('}');
        return;
      }
    }
  }

  private note(path: TomlPath, key: number, value: number): TomlPath {
    this.places.set(pathKey(path), { key, value });
    return path;
  }

  private skip(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [''];
    this.at += found.length;
    return found;
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }
}

/** Escapes in the keys of a manifest are rare enough that those of JSON will do for finding a place. */
function unquoted(key: string): string {
  if (key.startsWith("'")) return key.slice(1, -1);
  if (!key.startsWith('"')) return key;
  try {
    return JSON.parse(key) as string;
  } catch {
    return key.slice(1, -1);
  }
}
