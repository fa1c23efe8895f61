/** The address bar is the state of the page: where it is and what is searched for, as signals that follow it. */
import { computed, signal } from '@preact/signals';

const address = signal(read());

function read(): URL {
  return new URL(window.location.href);
}

/** The key in the link, which need not be seen over a shoulder: it leaves the address. */
export function takeKey(): string | null {
  const url = read();
  const key = url.searchParams.get('token');
  if (key === null) return null;
  url.searchParams.delete('token');
  window.history.replaceState(null, '', url);
  address.value = url;
  return key;
}

export const path = computed(() =>
  address.value.pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decoded),
);
export const query = computed(() => address.value.searchParams);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function go(to: string, how: 'push' | 'replace' = 'push'): void {
  const url = new URL(to, window.location.href);
  if (url.href === window.location.href) return;
  if (how === 'push') window.history.pushState(null, '', url);
  else window.history.replaceState(null, '', url);
  address.value = url;
}

/** The same place with other words in the query; an empty one goes. */
export function withQuery(changes: Readonly<Record<string, string>>): string {
  const url = new URL(window.location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return `${url.pathname}${url.search}`;
}

/** Half a character has no place in an address: what stands for it names nothing. */
export function encoded(part: string | number): string {
  return encodeURIComponent(String(part).replace(/\p{Surrogate}/gu, '\ufffd'));
}

export function pathTo(...parts: readonly (string | number)[]): string {
  return `/${parts.map(encoded).join('/')}`;
}

window.addEventListener('popstate', () => {
  address.value = read();
});

/** Links inside the page are followed here; those with a key held, as the browser does. */
document.addEventListener('click', (event) => {
  const link = (event.target as Element | null)?.closest?.('a[href]');
  if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.origin !== window.location.origin || link.hasAttribute('download')) return;
  event.preventDefault();
  go(link.href);
});
