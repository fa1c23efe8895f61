/** Imports a module that is no part of this program: one that a policy names, or an optional package. */

type Importer = (specifier: string) => Promise<unknown>;

let importer: Importer = (specifier) => import(specifier);

/**
 * For the entries of the command line. Code that V8 takes from a cache has no `import()` of its own in Node 20, and the entries are
 * never cached: they lend theirs.
 */
export function useImporter(given: Importer): void {
  importer = given;
}

export function importModule<T>(specifier: string): Promise<T> {
  return importer(specifier) as Promise<T>;
}
