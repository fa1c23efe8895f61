// Builds the code of the command line, the launcher and the library as two CommonJS files. `core.cjs` is what decisions need: its modules
// are joined and evaluated as one, without what none of them uses. `bundle.cjs` is the rest: it loads a module of it on demand, and takes
// from `core.cjs` what is there. Which names it takes is found by building both until nothing changes.
import { join, relative } from 'node:path';
import { parse } from 'acorn';
import { build, transform } from 'esbuild';

/** What the launcher and the library load at once. */
const CORE = `
export { useImporter } from './src/machine/import-module.ts';
export { runHook } from './src/launcher/run-hook.ts';
import * as library from './src/index.ts';
export { library };
`;

/** Before a module of `core.cjs` in imports of `bundle.cjs`. */
const IN_CORE = 'in-core:';

/** `library`: entry points of the package that need more than the core, each with its source. */
export async function buildBundle(options, library) {
  let [used, whole] = [new Map(), []];
  for (;;) {
    const core = await buildCore(options, whole, used);
    const rest = await buildRest(options, library, core.modules);
    const wanted = [...new Set([...whole, ...core.whole, ...rest.whole])];
    if (wanted.length === whole.length && isSame(rest.used, used))
      return { core, rest: { ...rest, text: await inCommonJs(rest.text) } };
    [used, whole] = [rest.used, wanted];
  }
}

/** `whole`: modules that are imported on demand. `used`: what the rest takes from others. */
async function buildCore(options, whole, used) {
  const imports = [
    ...whole.map((path, i) => `import * as whole${i} from './${path}';`),
    ...[...used].map(
      ([path, names], i) => `import { ${names.map((name) => `${name} as m${i}_${name}`)} } from './${path}';`,
    ),
  ];
  const modules = [...used].map(
    ([path, names], i) =>
      `${JSON.stringify(`${IN_CORE}${path}`)}: { ${names.map((name) => `${name}: m${i}_${name}`)} }`,
  );
  const entry = `${CORE}${imports.join('\n')}
export const modules = () => ({ ${modules} });
Object.assign(WHOLE, { ${whole.map((path, i) => `${JSON.stringify(path)}: whole${i}`)} });
export const whole = WHOLE;`;
  const wanted = new Set();
  const banner = { js: 'const WHOLE={};' };
  const { text, metafile, inputs } = await bundled({ ...options, banner }, entry, onDemand(wanted));
  return {
    text,
    metafile,
    whole: wanted,
    modules: new Set(inputs.filter((path) => path.startsWith('src/'))),
  };
}

/** Imports a module on demand by way of WHOLE: an import of its own would have everything that it needs loaded on demand. */
function onDemand(wanted) {
  return {
    name: 'on-demand',
    setup(bundler) {
      bundler.onResolve({ filter: /^\./ }, (given) => {
        if (given.kind !== 'dynamic-import') return undefined;
        const path = sourceOf(given, bundler);
        wanted.add(path);
        return { path, namespace: 'on-demand' };
      });
      bundler.onLoad({ filter: /./, namespace: 'on-demand' }, ({ path }) => ({
        contents: `module.exports = WHOLE[${JSON.stringify(path)}];`,
      }));
    },
  };
}

async function buildRest(options, library, inCore) {
  const entry = `
export const command = () => require('./src/cli/run-command.ts');
export const library = {
${library.map(({ name, source }) => `  ${JSON.stringify(name)}: () => require('./${source}'),`).join('\n')}
};`;
  const whole = new Set();
  const fromCore = {
    name: 'from-core',
    setup(bundler) {
      bundler.onResolve({ filter: /^\./ }, (given) => {
        const path = sourceOf(given, bundler);
        if (!inCore.has(path)) return undefined;
        if (given.kind === 'import-statement') return { path: `${IN_CORE}${path}`, external: true };
        whole.add(path);
        return { path, namespace: 'whole' };
      });
      bundler.onLoad({ filter: /./, namespace: 'whole' }, ({ path }) => ({
        contents: `module.exports = CORE.whole[${JSON.stringify(path)}];`,
      }));
    },
  };
  const { text, metafile } = await bundled({ ...options, format: 'esm' }, entry, fromCore);
  return { text, metafile, whole, used: namesUsed(text) };
}

async function bundled(options, contents, plugin) {
  const { outputFiles, metafile } = await build({
    ...options,
    stdin: { contents, resolveDir: options.absWorkingDir, sourcefile: 'bundle.ts' },
    metafile: true,
    write: false,
    plugins: [...options.plugins, plugin],
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const used = Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0);
  return { text: outputFiles[0].text, metafile, inputs: used };
}

function sourceOf({ path, resolveDir }, { initialOptions }) {
  return relative(initialOptions.absWorkingDir, join(resolveDir, path));
}

/** By module; sorted, so that two rounds can be compared. */
function namesUsed(text) {
  const found = new Map();
  const { body } = parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  for (const { type, source, specifiers } of body) {
    if (type !== 'ImportDeclaration' || !source.value.startsWith(IN_CORE)) continue;
    const path = source.value.slice(IN_CORE.length);
    found.set(
      path,
      new Set([...(found.get(path) ?? []), ...specifiers.map(({ imported }) => imported.name)]),
    );
  }
  return new Map([...found].sort().map(([path, names]) => [path, [...names].sort()]));
}

function isSame(some, others) {
  return JSON.stringify([...some]) === JSON.stringify([...others]);
}

/** As CommonJS: what it requires of the core comes from there. */
async function inCommonJs(text) {
  const { code } = await transform(text, {
    format: 'cjs',
    minify: true,
    legalComments: 'none',
    logOverride: { 'empty-import-meta': 'silent' },
  });
  return `const CORE=require('./core.cjs'),SHARED=CORE.modules();((require)=>{${code}})((name)=>SHARED[name]??require(name));`;
}
