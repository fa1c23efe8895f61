// A Markdown file as HTML: headings with GitHub's anchors, links led to pages of the site, code with colours. What is raw HTML in it
// stays text.
import { classHighlighter, highlightTree } from '@lezer/highlight';
import MarkdownIt from 'markdown-it';
import { LANGUAGES } from './languages.mjs';

const COMMENT = /^<!--[\s\S]*?-->\n?/gm;

/**
 * `link(href)`: where it leads on the site. Gives the HTML, the headings, and the text below each of them for the search.
 */
export function renderMarkdown(text, link) {
  const headings = [];
  const anchors = new Map();
  const sections = [];
  const markdown = new MarkdownIt({ html: false });
  const { rules } = markdown.renderer;
  const plain = (tokens, at, options, _env, self) => self.renderToken(tokens, at, options);

  rules.heading_open = (tokens, at, ...rest) => {
    const token = tokens[at];
    const title = textOf(tokens[at + 1]);
    const slug = slugOf(title);
    const before = anchors.get(slug) ?? 0;
    anchors.set(slug, before + 1);
    const id = before === 0 ? slug : `${slug}-${before}`;
    token.attrSet('id', id);
    headings.push({ level: Number(token.tag.slice(1)), id, title });
    sections.push({ id, title, text: '' });
    return plain(tokens, at, ...rest);
  };
  rules.heading_close = (tokens, at, ...rest) => {
    const { id, title } = headings.at(-1);
    const mark =
      tokens[at].tag === 'h1'
        ? ''
        : ` <a class="anchor" href="#${id}" aria-label="Link to ${escaped(title)}">#</a>`;
    return mark + plain(tokens, at, ...rest);
  };
  rules.link_open = (tokens, at, ...rest) => {
    const href = tokens[at].attrGet('href');
    tokens[at].attrSet('href', link(href));
    if (/^https?:/.test(href)) tokens[at].attrSet('rel', 'noreferrer');
    return plain(tokens, at, ...rest);
  };
  rules.image = (tokens, at) => {
    const token = tokens[at];
    return `<img src="${escaped(link(token.attrGet('src')))}" alt="${escaped(token.content)}" loading="lazy">`;
  };
  // What scrolls can be reached with the keyboard.
  rules.table_open = () => '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.fence = (tokens, at) => {
    const { content, info } = tokens[at];
    return `<pre tabindex="0" role="region" aria-label="Code"><code>${coloured(content, info.trim().split(/\s/)[0])}</code></pre>\n`;
  };
  const tokens = markdown.parse(text.replace(COMMENT, ''), {});
  const html = markdown.renderer.render(tokens, markdown.options, {});
  let at = -1;
  for (const token of tokens) {
    if (token.type === 'heading_open') at++;
    else if ((token.type === 'inline' || token.type === 'fence') && at >= 0) {
      const words = token.type === 'fence' ? token.content : textOf(token);
      if (words !== sections[at].title) sections[at].text += `${words}\n`;
    }
  }
  return { html, headings, sections };
}

function textOf(inline) {
  return (inline.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
}

/** As GitHub makes them, so that a link works in both places. */
export function slugOf(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

function coloured(text, language) {
  const parser = LANGUAGES[language];
  if (parser === undefined) return escaped(text);
  let html = '';
  let at = 0;
  highlightTree(parser.parse(text), classHighlighter, (from, to, classes) => {
    html += `${escaped(text.slice(at, from))}<span class="${classes}">${escaped(text.slice(from, to))}</span>`;
    at = to;
  });
  return html + escaped(text.slice(at));
}

export function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
