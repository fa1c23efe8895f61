// The frame of a page: bar with the search, places, what is on the page, neighbours. No script or style stands in the text, so that
// the content policy can refuse all that does.
import { escaped } from './markdown.mjs';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** `up`: the way from the page to the root of the site, `../` or nothing. */
export function frame({ title, up, body, script = '', style = 'site.css', bodyClass = '' }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<link rel="icon" href="${up}icon.svg">
<link rel="stylesheet" href="${up}${style}">
</head>
<body${bodyClass === '' ? '' : ` class="${bodyClass}"`} data-up="${up}">
${body}
<script src="${up}search.js"></script>
${script === '' ? '' : `<script src="${up}${script}"></script>\n`}</body>
</html>
`;
}

export function bar(up, here = '') {
  const places = [
    ['index.html', 'Docs'],
    ['playground.html', 'Playground'],
  ].map(([to, text]) => `<a href="${up}${to}"${to === here ? ' aria-current="page"' : ''}>${text}</a>`);
  return `<header class="top">
<a class="skip" href="#content">To the content</a>
<a class="brand" href="${up}index.html">harness</a>
<nav aria-label="Site">${places.join('')}</nav>
<span class="grow"></span>
<div class="search" role="search">
<input type="search" id="search" placeholder="Search ( / )" aria-label="Search the documents" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<div id="found" role="listbox" aria-label="What was found" hidden></div>
</div>
</header>`;
}

export function article({ up, html, headings, sections, here, titleOf, hrefOf, neighbours }) {
  const places = sections
    .filter(([, pages]) => pages.length > 0)
    .map(([title, pages]) => {
      const links = pages.map(
        (page) =>
          `<li><a href="${hrefOf(page)}"${page === here ? ' aria-current="page"' : ''}>${escaped(titleOf(page))}</a></li>`,
      );
      const open = pages.includes(here) ? ' open' : '';
      return `<details${open}><summary>${title}</summary><ul>${links.join('')}</ul></details>`;
    });
  const inner = headings.filter(({ level }) => level === 2 || level === 3);
  const contents =
    inner.length < 3
      ? ''
      : `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${inner
          .map(({ level, id, title }) => `<li class="l${level}"><a href="#${id}">${escaped(title)}</a></li>`)
          .join('')}</ul></nav>`;
  const [before, after] = neighbours.map((page, i) =>
    page === undefined
      ? '<span></span>'
      : `<a href="${hrefOf(page)}" rel="${i === 0 ? 'prev' : 'next'}">${i === 0 ? '← ' : ''}${escaped(titleOf(page))}${i === 0 ? '' : ' →'}</a>`,
  );
  return `${bar(up, here === 'README.md' ? 'index.html' : '')}
<div class="frame">
<nav class="places" aria-label="Documents"><details class="all" open><summary>Documents</summary>${places.join('\n')}</details></nav>
<main id="content">
<article>
${html}</article>
<div class="neighbours">${before}${after}</div>
</main>
${contents}
</div>`;
}
