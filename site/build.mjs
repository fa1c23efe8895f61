// `npm run site`: the documents as a static site in site/dist, with a search and a playground that need no server. A link or an anchor
// that leads nowhere fails it. The packages it needs are its own (site/package.json) and are installed here.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { PURE_BUILD } from '../scripts/build-pure.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');

export const SITE_FOLDER = join(here, 'dist');

export async function buildSite() {
  install();
  rmSync(SITE_FOLDER, { recursive: true, force: true });
  mkdirSync(SITE_FOLDER, { recursive: true });
  const count = await writePages();
  await writeScripts();
  return count;
}

function install() {
  const wanted = readFileSync(join(here, 'package-lock.json'), 'utf8');
  const done = join(here, 'node_modules/.installed');
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], {
    cwd: here,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the packages of the site could not be installed');
  writeFileSync(done, wanted);
}

/** Where a file of the repository is on the site: documents at its root, the rest as it is. */
function placeOf(path) {
  const page = path.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.html');
  return page.replace(/\.md$/, '.html');
}

function pagesOfRepository() {
  const below = (folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
      .filter((path) => path.endsWith('.md'))
      .sort();
  const examples = readdirSync(join(root, 'examples')).map((name) => `examples/${name}/README.md`);
  return [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...below('docs'),
    ...examples.filter((path) => existsSync(join(root, path))),
  ];
}

async function writePages() {
  const { renderMarkdown } = await import('./markdown.mjs');
  const { article, frame } = await import('./page.mjs');
  const { placed } = await import('./navigation.mjs');
  const pages = pagesOfRepository();
  const sections = placed(pages);
  const order = sections.flatMap(([, list]) => list);
  const copied = new Set();
  const links = [];
  const rendered = new Map(
    pages.map((page) => {
      const text = readFileSync(join(root, page), 'utf8');
      return [page, renderMarkdown(text, (href) => leadTo(href, page, pages, links, copied))];
    }),
  );
  const dead = links.filter(({ to, anchor }) => !leadsSomewhere(to, anchor, rendered));
  if (dead.length > 0)
    throw new Error(`dead links:\n${dead.map(({ page, href }) => `  ${page}: ${href}`).join('\n')}`);
  const titleOf = (page) => (page === 'README.md' ? 'Harness' : titleIn(rendered.get(page).headings, page));
  for (const [page, { html, headings }] of rendered) {
    const place = placeOf(page);
    const up = '../'.repeat(place.split('/').length - 1);
    const at = order.indexOf(page);
    const body = article({
      up,
      html,
      headings,
      sections,
      here: page,
      titleOf,
      hrefOf: (other) => up + placeOf(other),
      neighbours: [order[at - 1], order[at + 1]],
    });
    const title = page === 'README.md' ? 'Harness' : `${titleOf(page)} · Harness`;
    write(place, frame({ title, up, body }));
  }
  for (const path of copied) {
    mkdirSync(dirname(join(SITE_FOLDER, placeOf(path))), { recursive: true });
    cpSync(join(root, path), join(SITE_FOLDER, placeOf(path)));
  }
  await writeIndex(rendered, titleOf);
  return rendered.size;
}

function titleIn(headings, page) {
  const title = headings.find(({ level }) => level === 1)?.title;
  if (title === undefined) throw new Error(`${page}: want a first heading`);
  return title;
}

/** A link as it must be on the site. What is no page and is linked to is copied; a folder is what is read first in it. */
function leadTo(href, page, pages, links, copied) {
  if (/^[a-z]+:/.test(href)) return href;
  const [path, anchor = ''] = href.split('#');
  let to = path === '' ? page : posix.join(posix.dirname(page), decodeURIComponent(path)).replace(/\/$/, '');
  const file = join(root, to);
  if (existsSync(file) && statSync(file).isDirectory())
    to =
      pages.find((each) => each === `${to}/README.md`) ??
      pages.find((each) => each.startsWith(`${to}/`)) ??
      to;
  links.push({ page, href, to, anchor });
  if (!pages.includes(to) && existsSync(join(root, to)) && statSync(join(root, to)).isFile()) copied.add(to);
  const from = dirname(placeOf(page));
  return (relative(from, placeOf(to)) || posix.basename(placeOf(to))) + (anchor === '' ? '' : `#${anchor}`);
}

function leadsSomewhere(to, anchor, rendered) {
  const page = rendered.get(to);
  if (page === undefined)
    return anchor === '' && existsSync(join(root, to)) && statSync(join(root, to)).isFile();
  return anchor === '' || page.headings.some(({ id }) => id === anchor);
}

async function writeIndex(rendered, titleOf) {
  const { default: MiniSearch } = await import('minisearch');
  const options = {
    fields: ['title', 'page', 'text'],
    storeFields: ['href', 'page', 'title', 'text'],
    idField: 'id',
  };
  const search = new MiniSearch({
    ...options,
    extractField: (hit, field) => (field === 'text' ? hit.all : hit[field]),
  });
  let id = 0;
  for (const [page, { sections }] of rendered) {
    for (const { id: anchor, title, text } of sections) {
      const href = `${placeOf(page)}#${anchor}`;
      const plain = text.replace(/\s+/g, ' ').trim();
      search.add({ id: id++, href, page: titleOf(page), title, all: plain, text: plain });
    }
  }
  // A stored text is for showing: its beginning is enough.
  const stored = JSON.parse(JSON.stringify(search));
  for (const fields of Object.values(stored.storedFields)) fields.text = fields.text?.slice(0, 400) ?? '';
  write(
    'search-index.js',
    `window.harnessSearch=${JSON.stringify({ options, index: JSON.stringify(stored) })};\n`,
  );
}

async function writeScripts() {
  const { bar, frame } = await import('./page.mjs');
  const browser = {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    loader: { '.md': 'text' },
  };
  const worker = await build({
    ...PURE_BUILD,
    minify: true,
    format: 'iife',
    write: false,
    logLevel: 'warning',
    entryPoints: [join(here, 'worker.ts')],
  });
  // A file on disk may start no worker from another file: its text comes along.
  const workerText = {
    name: 'worker-text',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^worker-text$/ }, () => ({ path: 'worker-text', namespace: 'worker' }));
      onLoad({ filter: /.*/, namespace: 'worker' }, () => ({
        contents: worker.outputFiles[0].text,
        loader: 'text',
      }));
    },
  };
  await build({
    ...browser,
    entryPoints: { search: join(here, 'search.ts'), site: join(here, 'site.css') },
    outdir: SITE_FOLDER,
  });
  await build({
    ...browser,
    entryPoints: { playground: join(here, 'playground.tsx') },
    outdir: SITE_FOLDER,
    plugins: [workerText],
  });
  cpSync(join(root, 'web/icon.svg'), join(SITE_FOLDER, 'icon.svg'));
  const body = `${bar('', 'playground.html')}\n<div id="page"></div>`;
  write(
    'playground.html',
    frame({
      title: 'Playground · Harness',
      up: '',
      body,
      script: 'playground.js',
      style: 'playground.css',
      bodyClass: 'playground',
    }),
  );
}

function write(place, text) {
  mkdirSync(dirname(join(SITE_FOLDER, place)), { recursive: true });
  writeFileSync(join(SITE_FOLDER, place), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(`site: ${await buildSite()} pages in ${relative(process.cwd(), SITE_FOLDER)}/index.html`);
  } catch (error) {
    console.error(`site: ${error.message}`);
    process.exitCode = 1;
  }
}
