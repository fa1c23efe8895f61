// Puts back into package-lock.json the optional packages for other platforms that `npm install` left out: npm drops what
// a registry mirror does not have, and `npm ci` then refuses the file. Run it after every change of dependencies.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'wasm32'];

/** What a package of this name runs on. npm skips an optional package that does not fit the machine. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor)).slice(0, 1);
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : [];
  if (cpu.length === 0) throw new Error(`cannot tell which machine ${name} is for`);
  return { ...(os.length > 0 && { os }), cpu, ...(libc.length > 0 && { libc }) };
}

for (const path of process.argv.slice(2).length > 0
  ? process.argv.slice(2)
  : ['package-lock.json', 'bench/package-lock.json']) {
  if (!existsSync(path)) continue;
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  const added = [];
  for (const [place, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const [inside, beside] = [`${place}/node_modules/${name}`, `node_modules/${name}`];
      if (lock.packages[inside] !== undefined || lock.packages[beside] !== undefined) continue;
      lock.packages[beside] = {
        version,
        ...platformOf(name),
        ...(entry.dev && { dev: true }),
        optional: true,
      };
      added.push(name);
    }
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (added.length > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${path}: ${added.length === 0 ? 'complete' : `added ${added.join(', ')}`}`);
}
