/** Drivers of databases are optional packages: only who runs a hub installs one. */
import { HarnessError } from '../base/index.ts';
import { importModule } from '../machine/index.ts';

/** Versions that the tests run with. */
const VERSIONS: Readonly<Record<string, string>> = { pg: '8.23.1', 'node-sqlite3-wasm': '0.8.60' };

export async function loadDriver<T extends object>(name: string, why: string): Promise<T> {
  try {
    const loaded = await importModule<T & { readonly default?: T }>(name);
    return loaded.default ?? loaded;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw thrown;
    throw new HarnessError(
      'HUB_STORE',
      `the package ${name} is not installed beside harness-hooks: ${why}. Run: npm install ${name}@${VERSIONS[name]}`,
    );
  }
}
