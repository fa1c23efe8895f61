// `npm run vsix`: packs the extension for VS Code into editors/vscode/harness-hooks.vsix, with its one dependency bundled in.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cwd = join(root, 'editors/vscode');
execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd, stdio: 'inherit' });
await build({
  entryPoints: [join(cwd, 'extension.js')],
  outfile: join(cwd, 'dist/extension.js'),
  bundle: true,
  platform: 'node',
  target: 'node18',
  external: ['vscode'],
  minify: true,
  logLevel: 'warning',
});
copyFileSync(join(root, 'LICENSE'), join(cwd, 'LICENSE'));
const vsce = join(cwd, 'node_modules/.bin/vsce');
const options = ['--no-dependencies', '--allow-missing-repository', '--out', 'harness-hooks.vsix'];
execFileSync(vsce, ['package', ...options], { cwd, stdio: 'inherit' });
rmSync(join(cwd, 'LICENSE'));
