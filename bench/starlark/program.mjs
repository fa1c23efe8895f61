// A program of this folder, read and made ready to run here: what it prints at its end, its caller asks for.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { call, compile, JSON_MODULE, SourceFile, Thread } from '../../dist/starlark/index.js';

export function load(file) {
  return new SourceFile(basename(file), readFileSync(file, 'utf8').replace(/^print\(main\(\)\)$/m, ''));
}

/** Its `main`, each call in a thread of its own. */
export function mainOf(source, backend) {
  const environment = new Map([['json', JSON_MODULE]]);
  const compiled = compile(source, { backend, environment, dialect: { recursion: true } });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors));
  const main = compiled.program.run(new Thread()).globals.get('main');
  return () => call(new Thread(), main, []);
}

export function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
