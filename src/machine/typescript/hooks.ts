/**
 * Node's module hooks for a script in TypeScript on a Node that cannot run it by itself: types are taken out, relative imports
 * may leave out their ending, and what scripts written for Bun or CommonJS take for granted is there. Nothing is checked but
 * syntax, and no file is written.
 */
import { readFile, stat } from 'node:fs/promises';
import type { LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transform } from 'sucrase';

const TYPESCRIPT = /\.[cm]?tsx?$/;
const ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json'];

export const resolve: ResolveHook = async (specifier, context, next) => {
  try {
    return await next(specifier, context);
  } catch (thrown) {
    const found = await besides(specifier, context.parentURL);
    if (found === null) throw thrown;
    return next(found, context);
  }
};

export const load: LoadHook = async (url, context, next) => {
  const path = url.startsWith('file:') ? fileURLToPath(url) : null;
  if (path !== null && TYPESCRIPT.test(path)) {
    const source = asModule(await readFile(path, 'utf8'), path);
    return { format: 'module', shortCircuit: true, source };
  }
  if (path?.endsWith('.json') && context.importAttributes?.type === undefined) {
    const source = `export default ${await readFile(path, 'utf8')}`;
    return { format: 'module', shortCircuit: true, source };
  }
  return next(url, context);
};

/** The file that an import without its ending, or with the ending it has once compiled, means; null if there is none. */
async function besides(specifier: string, parent: string | undefined): Promise<string | null> {
  if (parent === undefined || !/^\.{0,2}\//.test(specifier)) return null;
  const plain = new URL(specifier, parent).href;
  const uncompiled = plain.replace(/\.([cm]?)js$/, '.$1ts');
  const candidates = [
    ...(uncompiled === plain ? [] : [uncompiled]),
    ...ENDINGS.map((ending) => plain + ending),
    ...ENDINGS.map((ending) => `${plain.replace(/\/$/, '')}/index${ending}`),
  ];
  for (const candidate of candidates) {
    const found = await stat(fileURLToPath(candidate)).catch(() => null);
    if (found?.isFile() === true) return candidate;
  }
  return null;
}

/** Lines stay where they are, so that an error names the right one. */
function asModule(text: string, filePath: string): string {
  const { code } = transform(text.replace(/^#!.*/, ''), {
    transforms: filePath.endsWith('x') ? ['typescript', 'jsx'] : ['typescript'],
    disableESTransforms: true,
    preserveDynamicImport: true,
    filePath,
  });
  return preludeFor(code, filePath) + code;
}

/** By the name that has to occur in a script; each is a statement. */
const COMMONJS_GLOBALS: ReadonlyArray<readonly [RegExp, (path: string) => string]> = [
  [
    /\brequire\b/,
    () => "import{createRequire as $require}from'node:module';const require=$require(import.meta.url);",
  ],
  [/\b__filename\b/, (path) => `const __filename=${JSON.stringify(path)};`],
  [/\b__dirname\b/, (path) => `const __dirname=${JSON.stringify(folderOf(path))};`],
  [/\bmodule\.exports\b|\bexports\./, () => 'const module={exports:{}},exports=module.exports;'],
  [/\bimport\.meta\.dir\b/, (path) => `import.meta.dir=${JSON.stringify(folderOf(path))};`],
  [/\bimport\.meta\.path\b/, (path) => `import.meta.path=${JSON.stringify(path)};`],
  [/\bimport\.meta\.main\b/, (path) => `import.meta.main=process.argv[1]===${JSON.stringify(path)};`],
];

function preludeFor(code: string, path: string): string {
  const wanted = COMMONJS_GLOBALS.filter(([name]) => name.test(code) && !declares(code, name));
  return wanted.map(([, statement]) => statement(path)).join('');
}

/** A script that makes its own is left alone. */
function declares(code: string, name: RegExp): boolean {
  const plain = /^\\b(\w+)/.exec(name.source)?.[1];
  const found = code.matchAll(/\b(?:const|let|var|function|class)\s+([\w$]+)/g);
  return [...found].some(([, declared]) => declared === plain);
}

function folderOf(path: string): string {
  return path.replace(/[\\/][^\\/]*$/, '');
}
