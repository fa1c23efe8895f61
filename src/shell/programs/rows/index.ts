/** Every row of the table, by family. A name stands in one row. */
import type { Row } from '../notation.ts';
import { BUILTINS } from './builtins.ts';
import { CLOUD } from './cloud.ts';
import { CONTAINERS } from './containers.ts';
import { DATABASES } from './databases.ts';
import { DISKS } from './disks.ts';
import { FILES } from './files.ts';
import { LANGUAGES } from './languages.ts';
import { NETWORK } from './network.ts';
import { PACKAGES } from './packages.ts';
import { STARTERS } from './starters.ts';
import { STORES } from './stores.ts';
import { SYSTEM } from './system.ts';
import { VCS } from './vcs.ts';
import { WINDOWS } from './windows.ts';

export const FAMILIES: Readonly<Record<string, readonly Row[]>> = {
  'Words of the shell': BUILTINS,
  Files: FILES,
  'The system': SYSTEM,
  Disks: DISKS,
  'Programs that start others': STARTERS,
  Languages: LANGUAGES,
  'The network': NETWORK,
  'Version control': VCS,
  Packages: PACKAGES,
  Containers: CONTAINERS,
  Clouds: CLOUD,
  'Stores of secrets': STORES,
  Databases: DATABASES,
  Windows: WINDOWS,
};

export const ROWS: readonly Row[] = Object.values(FAMILIES).flat();
