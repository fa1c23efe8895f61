// The hand-written stack inside a QuickJS sandbox: the text goes in, the decision comes out as JSON.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getQuickJS } from 'quickjs-emscripten';

export async function prepare() {
  const source = readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'plain-js.mjs'), 'utf8');
  const vm = (await getQuickJS()).newContext();
  const script = source
    .replace(/^export const prepare.*$/m, '')
    .replace('export function decide', 'function decide');
  vm.unwrapResult(
    vm.evalCode(`${script}\nglobalThis.run = (text) => JSON.stringify(decide(text));`),
  ).dispose();
  const run = vm.getProp(vm.global, 'run');
  return (text) => {
    const argument = vm.newString(text);
    const result = vm.unwrapResult(vm.callFunction(run, vm.undefined, argument));
    const decision = JSON.parse(vm.getString(result));
    argument.dispose();
    result.dispose();
    return decision;
  };
}
