// One cold run in this process: compile and call main() once; prints the CPU milliseconds it took.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { call, compile, SourceFile, Thread } from '../../dist/starlark/index.js';

const [file] = process.argv.slice(2);
const text = readFileSync(file, 'utf8').replace(/^print\(main\(\)\)$/m, '');
const before = process.cpuUsage();
const compiled = compile(new SourceFile(basename(file), text), { dialect: { recursion: true } });
const thread = new Thread();
call(thread, compiled.program.run(thread).globals.get('main'), []);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
