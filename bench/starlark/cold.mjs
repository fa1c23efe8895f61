// One cold run in this process: compile and call main() once; prints the CPU milliseconds it took.
import { cpuMs, load, mainOf } from './program.mjs';

const program = load(process.argv[2]);
const before = cpuMs();
mainOf(program, 'js')();
console.log(cpuMs() - before);
