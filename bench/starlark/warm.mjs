// Warm runs in this process: compiles a program with one back end, calls main() until it is warm, then prints the CPU
// milliseconds of a few more calls. A process for each, because two back ends in one would share what V8 has learnt.
import { cpuMs, load, mainOf } from './program.mjs';

const [file, backend] = process.argv.slice(2);
const main = mainOf(load(file), backend);
const WARM_UP = { calls: 5, milliseconds: 250 };
const SAMPLES = 5;
let result;

function cpuOfCall() {
  const before = cpuMs();
  result = main();
  return cpuMs() - before;
}

for (let calls = 0, spent = 0; calls < WARM_UP.calls || spent < WARM_UP.milliseconds; calls++)
  spent += cpuOfCall();
const warm = Array.from({ length: SAMPLES }, cpuOfCall);
console.log(JSON.stringify({ warm, result: String(result) }));
