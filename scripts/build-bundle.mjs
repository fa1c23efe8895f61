// Builds the code of the command line, the launcher and the library as two CommonJS files. `core.cjs` is what decisions need: its modules
// are joined and evaluated as one, without what none of them uses. `bundle.cjs` is the rest: it loads a module of it on demand, and takes
// from `core.cjs` what is there. Which names it takes is found by building both until nothing changes.
import { join, relative } from 'node:path';
import { build, transform } from 'esbuild';

/** What the launcher and the library load at once. */
const CORE = `
export { useImporter } from './src/machine/import-module.ts';
export { runHook } from './src/launcher/run-hook.ts';
import * as library from './src/index.ts';
export { library };
`;

/** Before a module of `core.cjs` in imports of `bundle.cjs`, until they are bound. */
const IN_CORE = 'in-core:';

/** `library`: the entry points of the package, each with its source. */
export async function buildBundle(options, library) {
  // What the launcher loads on demand is small, and belongs to the core; what only a session of the library does is not.
  let whole = await lateModules(options);
  let used = new Map();
  for (;;) {
    const core = await buildCore(options, whole, used);
    const rest = await buildRest(options, library, core);
    const more = rest.whole.filter((path) => !whole.includes(path));
    whole = [...whole, ...more];
    if (more.length === 0 && sameNames(rest.used, used))
      return { core, rest: { ...rest, text: await bound(rest.text) } };
    used = rest.used;
  }
}

/** Modules that the launcher imports on demand. */
async function lateModules(options) {
  const found = new Set();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    const entry = ['src/launcher/run-hook.ts', ...found]
      .map((path) => `export * from './${path}';`)
      .join('\n');
    await build({
      ...withEntry(options, entry),
      plugins: [...options.plugins, onDemand((path) => found.add(path))],
    });
  }
  return [...found];
}

/** `whole`: modules of which others want the namespace. */
async function buildCore(options, whole, used) {
  const late = new Set();
  const bindings = [...used].map(([path, names], i) => [
    names.map((name) => `import { ${name} as m${i}_${name} } from './${path}';`).join('\n'),
    `${JSON.stringify(path)}: () => ({ ${names.map((name) => `${name}: m${i}_${name}`).join(', ')} }),`,
  ]);
  const entry = `
${CORE}
${whole.map((path, i) => `import * as whole${i} from './${path}';`).join('\n')}
${bindings.map(([imports]) => imports).join('\n')}
export const modules = { ${bindings.map(([, binding]) => binding).join('\n')} };
Object.assign(WHOLE, { ${whole.map((path, i) => `${JSON.stringify(path)}: whole${i},`).join('\n')} });
export const whole = WHOLE;
`;
  const { outputFiles, metafile } = await build({
    ...withEntry(options, entry),
    banner: { js: 'const WHOLE={};' },
    plugins: [...options.plugins, onDemand((path) => late.add(path))],
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const has = Object.entries(inputs).filter(
    ([path, { bytesInOutput }]) => bytesInOutput > 0 && path.startsWith('src/'),
  );
  return {
    text: outputFiles[0].text,
    metafile,
    modules: new Set(has.map(([path]) => path)),
    late: [...late].filter((path) => !whole.includes(path)),
  };
}

async function buildRest(options, library, core) {
  const entry = `
export const command = () => require('./src/cli/run-command.ts');
export const library = {
${library.map(({ name, source }) => `  ${JSON.stringify(name)}: () => require('./${source}'),`).join('\n')}
};
export const late = {
${core.late.map((path) => `  ${JSON.stringify(path)}: () => require('./${path}'),`).join('\n')}
};
`;
  const whole = new Set();
  const inCore = {
    name: 'in-core',
    setup(bundler) {
      bundler.onLoad({ filter: /./, namespace: 'whole' }, ({ path }) => ({
        contents: `module.exports = CORE.whole[${JSON.stringify(path)}];`,
      }));
      bundler.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
        const source = relative(options.absWorkingDir, join(resolveDir, path));
        if (!core.modules.has(source)) return undefined;
        if (kind === 'import-statement') return { path: `${IN_CORE}${source}`, external: true };
        whole.add(source);
        return { path: source, namespace: 'whole' };
      });
    },
  };
  const { outputFiles, metafile } = await build({
    ...withEntry(options, entry),
    format: 'esm',
    plugins: [...options.plugins, inCore],
  });
  return { text: outputFiles[0].text, metafile, used: namesUsed(outputFiles[0].text), whole: [...whole] };
}

/** Imports a module on demand by way of WHOLE: an import of its own would have everything that it needs loaded on demand. */
function onDemand(tell) {
  return {
    name: 'on-demand',
    setup(bundler) {
      const { absWorkingDir } = bundler.initialOptions;
      bundler.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
        if (kind !== 'dynamic-import') return undefined;
        const source = relative(absWorkingDir, join(resolveDir, path));
        tell(source);
        return { path: source, namespace: 'on-demand' };
      });
      bundler.onLoad({ filter: /./, namespace: 'on-demand' }, ({ path }) => {
        const name = JSON.stringify(path);
        return { contents: `module.exports = WHOLE[${name}] ?? require('./bundle.cjs').late[${name}]();` };
      });
    },
  };
}

function withEntry(options, contents) {
  const stdin = { contents, resolveDir: options.absWorkingDir, sourcefile: 'bundle.ts' };
  return { ...options, stdin, metafile: true, write: false, external: [...options.external, './bundle.cjs'] };
}

const IMPORT = new RegExp(`\\bimport\\s*\\{([^}]*)\\}\\s*from\\s*"${IN_CORE}([^"]+)";?`, 'g');

/** By module, sorted, so that two rounds can be compared. */
function namesUsed(text) {
  const found = new Map();
  for (const [, names, path] of text.matchAll(IMPORT)) {
    const all = found.get(path) ?? new Set();
    for (const each of names.split(',')) all.add(each.trim().split(/\s+as\s+/)[0]);
    found.set(path, all);
  }
  return new Map([...found].sort().map(([path, names]) => [path, [...names].sort()]));
}

function sameNames(some, others) {
  return JSON.stringify([...some]) === JSON.stringify([...others]);
}

/** As CommonJS, with the names of the core bound. */
async function bound(text) {
  const names = (each) => each.replace(/\s+as\s+/g, ':');
  const code = text.replace(
    IMPORT,
    (_, each, path) => `const{${names(each)}}=CORE.modules[${JSON.stringify(path)}]();`,
  );
  if (code.includes(IN_CORE))
    throw new Error(
      `bundle.cjs imports from the core in another way: ${code.match(new RegExp(`.{80}${IN_CORE}.{80}`, 's'))}`,
    );
  return (
    await transform(`const CORE=require('./core.cjs');${code}`, {
      format: 'cjs',
      minify: true,
      legalComments: 'none',
      logOverride: { 'empty-import-meta': 'silent' },
    })
  ).code;
}
