/**
 * Search without a server, also from a folder on disk: the index is a script that is fetched when somebody first searches. `/` or
 * Ctrl+K begins, arrows choose, Enter goes there, Escape ends.
 */
import MiniSearch from 'minisearch';
import './copy.ts';

declare global {
  interface Window {
    harnessSearch?: { readonly options: object; readonly index: string };
  }
}

interface Hit {
  readonly href: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

const MOST = 12;
const EXCERPT = 120;
const input = document.getElementById('search') as HTMLInputElement;
const list = document.getElementById('found') as HTMLElement;
const up = document.body.dataset.up ?? '';
let index: Promise<MiniSearch<Hit>> | null = null;
let chosen = -1;

function load(): Promise<MiniSearch<Hit>> {
  index ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${up}search-index.js`;
    script.onload = () => {
      const { options, index: text } = window.harnessSearch!;
      resolve(MiniSearch.loadJSON<Hit>(text, options));
    };
    script.onerror = () => reject(new Error('the index of the search is missing'));
    document.head.append(script);
  });
  return index;
}

async function search(): Promise<void> {
  const words = input.value.trim();
  if (words === '') return close();
  const found = await load();
  if (input.value.trim() !== words) return;
  const hits = found
    .search(words, {
      prefix: true,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      boost: { title: 3, page: 2 },
      // A guide says what a reference only lists.
      boostDocument: (_id, _term, stored) => (String(stored?.href).startsWith('reference/') ? 0.5 : 1),
    })
    .slice(0, MOST);
  list.replaceChildren(
    ...(hits.length === 0 ? [line('Nothing is found.')] : hits.map((hit, i) => entry(hit, i, words))),
  );
  list.hidden = false;
  input.setAttribute('aria-expanded', 'true');
  choose(hits.length === 0 ? -1 : 0);
}

function line(text: string): HTMLElement {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
}

function entry({ href, page, title, text }: Hit, i: number, words: string): HTMLElement {
  const link = document.createElement('a');
  link.href = up + href;
  link.id = `found-${i}`;
  link.setAttribute('role', 'option');
  link.tabIndex = -1;
  const [name, where, part] = ['b', 'span', 'small'].map((tag) => document.createElement(tag));
  name!.textContent = title;
  where!.textContent = page === title ? '' : page;
  part!.textContent = excerpt(text, words);
  link.append(name!, where!, part!);
  return link;
}

function excerpt(text: string, words: string): string {
  const first = words.split(/\s+/)[0]!.toLowerCase();
  const around = Math.max(0, text.toLowerCase().indexOf(first) - EXCERPT / 3);
  // Not from the middle of a word.
  const at = around === 0 ? 0 : text.indexOf(' ', around) + 1;
  return `${at > 0 ? '…' : ''}${text.slice(at, at + EXCERPT)}${text.length > at + EXCERPT ? '…' : ''}`;
}

function choose(next: number): void {
  const links = [...list.querySelectorAll('a')];
  links[chosen]?.removeAttribute('aria-selected');
  chosen = links.length === 0 ? -1 : (next + links.length) % links.length;
  const link = links[chosen];
  link?.setAttribute('aria-selected', 'true');
  link?.scrollIntoView({ block: 'nearest' });
  if (link === undefined) input.removeAttribute('aria-activedescendant');
  else input.setAttribute('aria-activedescendant', link.id);
}

function close(): void {
  list.hidden = true;
  list.replaceChildren();
  input.setAttribute('aria-expanded', 'false');
  choose(-1);
}

input.addEventListener('focus', () => void load().catch(() => {}));
input.addEventListener('input', () => void search());
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
    choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
  else if (event.key === 'Enter') (list.querySelectorAll('a')[chosen] as HTMLElement | undefined)?.click();
  else if (event.key === 'Escape') {
    input.value = '';
    close();
    input.blur();
  } else return;
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  const typing = (event.target as Element).closest?.('input, textarea, select, .editor') !== null;
  const wanted = (event.key === '/' && !typing) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
  if (!wanted) return;
  event.preventDefault();
  input.focus();
  input.select();
});
document.addEventListener('click', (event) => {
  if ((event.target as Element).closest('.search') === null) close();
});

/** Narrow pages begin with what is read, not with all there is. */
const all = document.querySelector<HTMLDetailsElement>('details.all');
if (all !== null && window.matchMedia('(max-width: 900px)').matches) all.open = false;
document.querySelector('.places a[aria-current]')?.scrollIntoView({ block: 'center' });
