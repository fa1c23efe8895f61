// Warm runs in this process: compiles a program with one back end, calls main() until it is warm, then prints the CPU
// milliseconds of a few more calls. A process for each, because two back ends in one would share what V8 has learnt.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { call, compile, SourceFile, Thread } from '../../dist/starlark/index.js';

const [file, backend] = process.argv.slice(2);
const text = readFileSync(file, 'utf8').replace(/^print\(main\(\)\)$/m, '');
const compiled = compile(new SourceFile(basename(file), text), { backend, dialect: { recursion: true } });
if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors));
const main = compiled.program.run(new Thread()).globals.get('main');

const WARM_UP = { calls: 5, milliseconds: 250 };
const SAMPLES = 5;

function cpuOfCall() {
  const before = process.cpuUsage();
  call(new Thread(), main, []);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

for (let calls = 0, spent = 0; calls < WARM_UP.calls || spent < WARM_UP.milliseconds; calls++)
  spent += cpuOfCall();
console.log(JSON.stringify(Array.from({ length: SAMPLES }, cpuOfCall)));
