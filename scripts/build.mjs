// Builds the package: the command line with the library, the page and the part for browsers with esbuild, declarations with tsc. What tsc
// writes besides them is for the benchmarks, and is not shipped.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCli } from './build-cli.mjs';
import { DECLARATIONS } from './build-library.mjs';
import { buildNative } from './build-native.mjs';
import { buildPacks } from './build-packs.mjs';
import { buildPure } from './build-pure.mjs';
import { buildTypeScriptRunner } from './build-typescript-runner.mjs';
import { buildWeb } from './build-web.mjs';
import { slimDeclarations } from './slim-declarations.mjs';
import { writeNotices } from './write-notices.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

rmSync(join(root, 'dist'), { recursive: true, force: true });

await buildPacks();
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
slimDeclarations(join(root, 'dist'), DECLARATIONS);
buildNative();
const inputs = [await buildPure(), await buildTypeScriptRunner(), await buildWeb(), await buildCli()];
writeNotices(inputs.flat());
