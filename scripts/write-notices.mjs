// Writes the licences of the packages that the build puts into our own files: their authors ask that these texts go along.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** `inputs` are files as esbuild names them, seen from the root. */
export function writeNotices(inputs, file = join(root, 'dist/THIRD-PARTY.md')) {
  const folders = new Set(inputs.map(folderOfPackage).filter((folder) => folder !== null));
  const byText = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const text = licenceIn(folder);
    if (text === null && license === undefined) throw new Error(`${name} has no licence`);
    const key = text ?? `${license}. The package brings no text of it.`;
    byText.set(key, [...(byText.get(key) ?? []), `${name} ${version}`]);
  }
  const parts = [...byText].map(([text, names]) => `## ${names.join(', ')}\n\n${text}\n`);
  writeFileSync(file, `# Packages inside this one\n\n${parts.join('\n')}`);
  return folders.size;
}

function folderOfPackage(input) {
  const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? [null];
  return folder;
}

function licenceIn(folder) {
  const name = readdirSync(join(root, folder)).find((entry) => /^(licen[cs]e|copying)(\.|$)/i.test(entry));
  return name === undefined ? null : readFileSync(join(root, folder, name), 'utf8').trim();
}
