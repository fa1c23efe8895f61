// The declarations that ship: of what tsc writes, the statements that the exports of an entry point lead to. A program that embeds
// Harness compiles nothing else.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** A statement begins at the margin, with the comments before it. */
const START = /(?:^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)*^(?:import|export|declare|type|interface) /gm;
const COMMENT = /\/\*(?:(?!\*\/)[\s\S])*\*\//g;
const DECLARED =
  /^(?:export )?(?:declare )?(?:abstract )?(?:const|function|class|type|interface) (\w+)\b(?! from)/;
const SPACE = /^(import|export) (?:type )?\* as (\w+) from ["'](.+)["']/;
const STAR = /^export \* from ["'](.+)["'];$/gm;
const NAMED = /^(import|export) (?:type )?\{([^}]+)\}(?: from ["'](.+)["'])?/;
const INLINE = /import\(["'](\.[^"']+)["']\)\.(\w+)/g;
const FROM = /^(import|export) (type )?\{([^}]+)\} from ["'](\.[^"']+)["'];/gm;
/** Comments on what only its own class reaches: no editor shows them. */
const PRIVATE_COMMENT = /\n *\/\*\*(?:(?!\*\/)[\s\S])*\*\/(\n *private )/g;

/** Rewrites the declarations in the folder `dist`; `entries` are the files of its entry points. */
export function slimDeclarations(dist, entries) {
  const files = new Map();
  const load = (path) => {
    if (files.has(path)) return files.get(path);
    const text = pastDoors(path, readFileSync(path, 'utf8')).replace(STAR, (_, source) => {
      const names = [...load(sourceOf(path, source)).exported];
      return `export { ${names.join(', ')} } from '${source}';`;
    });
    files.set(path, parse(path, text));
    return files.get(path);
  };
  const use = (file, name) => {
    if (file.used.has(name)) return;
    file.used.add(name);
    for (const { from, code } of file.named.get(name) ?? []) {
      if (from?.path.startsWith('.')) {
        const source = load(sourceOf(file.path, from.path));
        if (from.name === '*') useAll(source);
        else use(source, from.name);
      }
      if (code === undefined) continue;
      for (const [, path, other] of code.matchAll(INLINE)) use(load(sourceOf(file.path, path)), other);
      for (const [word] of code.matchAll(/[\w$]+/g)) if (file.named.has(word)) use(file, word);
    }
  };
  const useAll = (file) => {
    for (const name of file.exported) use(file, name);
  };
  entries.map(load).forEach(useAll);
  const offer = (file, name) => {
    if (file.offered.has(name)) return;
    file.offered.add(name);
    for (const { from } of file.named.get(name) ?? [])
      if (from?.path.startsWith('.')) {
        const source = load(sourceOf(file.path, from.path));
        for (const each of from.name === '*' ? source.exported : [from.name]) offer(source, each);
      }
  };
  for (const file of entries.map(load)) for (const name of file.exported) offer(file, name);
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(dist, name);
    const text = files.has(path) ? usedText(files.get(path)) : '';
    if (text === '') rmSync(path);
    else writeFileSync(path, text.replace(PRIVATE_COMMENT, '$1').replace(/^ +/gm, ''));
  }
}

/** Names from the files that declare them: a door of a room would bring all that the room offers into a compilation. */
function pastDoors(path, text) {
  return text.replace(FROM, (whole, kind, type = '', list, source) => {
    const door = doorAt(sourceOf(path, source));
    if (door === null) return whole;
    const items = new Map();
    for (const item of itemsOf(list)) {
      const file = door.get(nameOf(item));
      items.set(file, [...(items.get(file) ?? []), item]);
    }
    const statements = [...items].map(([file, some]) => {
      const to = relative(dirname(path), file)
        .split(sep)
        .join('/')
        .replace(/\.d\.ts$/, '.js');
      return `${kind} ${type}{ ${some.join(', ')} } from '${to.startsWith('.') ? to : `./${to}`}';`;
    });
    return statements.join('\n');
  });
}

/** Name to file of an `index.d.ts` that only re-exports; null for any other file. */
function doorAt(path) {
  if (!path.endsWith(`${sep}index.d.ts`)) return null;
  const text = readFileSync(path, 'utf8').replace(COMMENT, '');
  if (text.replace(FROM, '').trim() !== '') return null;
  const files = new Map();
  for (const [, , , list, source] of text.matchAll(FROM))
    for (const item of itemsOf(list)) files.set(nameOf(item), sourceOf(path, source));
  return files;
}

const itemsOf = (list) =>
  list
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);

const nameOf = (item) => item.replace(/^type /, '').split(' as ')[0];

/** `named`: what each name at the top of a file stands for, declarations or a name of another file. */
function parse(path, text) {
  const file = {
    path,
    statements: [],
    named: new Map(),
    exported: new Set(),
    used: new Set(),
    offered: new Set(),
  };
  const starts = [...text.matchAll(START)].map(({ index }) => index);
  for (const [at, start] of starts.entries()) {
    const statement = text.slice(start, starts[at + 1]);
    const code = statement.replace(COMMENT, '').trimStart();
    const [, kind, list, source] = NAMED.exec(code) ?? [];
    const [, of, space, all] = SPACE.exec(code) ?? [];
    const declared = DECLARED.exec(code)?.[1];
    const names = [];
    if (declared !== undefined) {
      names.push(declared);
      file.named.set(declared, [...(file.named.get(declared) ?? []), { code }]);
      if (code.startsWith('export ')) file.exported.add(declared);
    } else if (list !== undefined) {
      for (const item of itemsOf(list)) {
        const [name, local = name] = item.replace(/^type /, '').split(' as ');
        names.push({ item, local });
        if (source !== undefined) file.named.set(local, [{ from: { path: source, name } }]);
        if (kind === 'export') file.exported.add(local);
      }
    } else if (space !== undefined) {
      names.push(space);
      file.named.set(space, [{ from: { path: all, name: '*' } }]);
      if (of === 'export') file.exported.add(space);
    } else if (code.trim() !== 'export {};') {
      throw new Error(`${path}: cannot read the declaration ${code}`);
    }
    file.statements.push({ statement, names, list });
  }
  return file;
}

/** The fields of payloads, which editors show wherever a hook is written in code. */
const PAYLOADS = /payload-types\.d\.ts$/;

/** Comments only on payloads and on what an entry point offers by name: the rest is reached through its types, and seldom looked at. */
function usedText({ path, statements, used, offered }) {
  const kept = statements.map(({ statement, names, list }) => {
    if (list === undefined) {
      if (!names.some((name) => used.has(name))) return '';
      return PAYLOADS.test(path) || names.some((name) => offered.has(name))
        ? statement
        : statement.replace(COMMENT, '');
    }
    const items = names.filter(({ local }) => used.has(local)).map(({ item }) => item);
    return items.length === 0
      ? ''
      : statement
          .replace(list, ` ${items.join(', ')} `)
          .replace(COMMENT, '')
          .trimStart();
  });
  return kept.join('');
}

function sourceOf(path, source) {
  return join(dirname(path), source.replace(/\.(?:js|ts)$/, '.d.ts'));
}
