/**
 * From `module::function` to the file it names. Only files beside the manifest or below it can be named.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';

export interface HandlerName {
  /** Relative to the project, without its ending. */
  readonly module: string;
  readonly function: string;
}

export type Parsed<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly message: string };

const NAME = /^[A-Za-z_]\w*$/;
const MODULE_PART = /^[A-Za-z0-9_][\w-]*$/;

export function parseHandler(written: string): Parsed<HandlerName> {
  const text = written.trim();
  const at = text.lastIndexOf('::');
  if (at === -1) {
    return wrong(`wanted "module::function", got ${JSON.stringify(written)}`);
  }
  const module = text.slice(0, at).trim();
  const name = text.slice(at + 2).trim();
  if (module.startsWith('/') || module.includes('\\') || module.split('/').includes('..')) {
    return wrong(`wanted a module beside harn.toml or below it, got ${JSON.stringify(module)}`);
  }
  const ending = ENDINGS.find((known) => module.endsWith(known));
  if (ending !== undefined) {
    return wrong(`wanted a module without its ending: "${module.slice(0, -ending.length)}::${name}"`);
  }
  if (!module.split('/').every((part) => MODULE_PART.test(part))) {
    return wrong(`wanted the name of a module before "::", got ${JSON.stringify(module)}`);
  }
  if (!NAME.test(name)) return wrong(`wanted the name of a function after "::", got ${JSON.stringify(name)}`);
  if (name.startsWith('_')) return wrong(`${name} is private to ${module}: wanted a public function`);
  return { ok: true, module, function: name };
}

/** In the order they are looked for: the sandbox first. */
const ENDINGS = ['.star', '.ts', '.mjs', '.js'] as const;

export interface ModuleFile {
  /** Relative to the project. */
  readonly path: string;
  readonly kind: 'star' | 'code';
  /** Others of the same name, which are not used. */
  readonly shadowed: readonly string[];
}

export function findModule(dir: string, module: string): Parsed<{ readonly file: ModuleFile }> {
  const [path, ...shadowed] = ENDINGS.map((ending) => module + ending).filter((file) =>
    pathExists(dir, file),
  );
  if (path !== undefined) {
    return { ok: true, file: { path, kind: path.endsWith('.star') ? 'star' : 'code', shadowed } };
  }
  const harn = pathExists(dir, `${module}.harn`)
    ? `; ${module}.harn is there, but Harn code is not run here: write it as ${module}.star`
    : '';
  return wrong(`there is no ${ENDINGS.map((ending) => module + ending).join(', ')} beside harn.toml${harn}`);
}

/** Whatever is there under that name: a file that cannot be read is not the same as none. */
function pathExists(dir: string, path: string): boolean {
  try {
    return !statSync(join(dir, path)).isDirectory();
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EACCES';
  }
}

function wrong(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
