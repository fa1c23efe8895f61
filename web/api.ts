/** Requests to the server this page came from, and to no other. */
import { useEffect, useState } from 'preact/hooks';
import { takeKey } from './address.ts';

/** Where the data is. Storage, unlike a cookie, belongs to one port: no other server of this machine learns it. */
const ROOM = 'harness-room';
let room = storedKey();

function storedKey(): string | null {
  try {
    return window.localStorage.getItem(ROOM);
  } catch {
    return null;
  }
}

/** Gives the key in the link, if there is one, for a cookie and the name of the room. */
export async function enter(): Promise<void> {
  const key = takeKey();
  if (key === null) return;
  ({ room } = await sent<{ room: string }>('/api/open', { key }));
  try {
    window.localStorage.setItem(ROOM, room);
  } catch {
    // Then every tab wants the link.
  }
}

export function addressOf(where: string): string {
  return `/api/${room ?? 'closed'}${where}`;
}

export function ask<T>(where: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return sent(addressOf(where), body, signal);
}

async function sent<T>(where: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await fetch(where, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    ...(signal !== undefined && { signal }),
  });
  const data = (await response.json()) as T & { error?: string };
  if (!response.ok) throw new Error(data.error ?? `the server answered ${response.status}`);
  return data;
}

export interface Loaded<T> {
  readonly data: T | null;
  readonly error: string | null;
}

/** Asks, and asks again while `again` says so. What came before stays until what follows is there. */
export function useLoad<T>(where: string | null, again: (data: T) => number | null = () => null): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { where: string | null }>({
    data: null,
    error: null,
    where: null,
  });
  useEffect(() => {
    if (where === null) return;
    const ended = new AbortController();
    let timer = 0;
    const load = () => {
      ask<T>(where, undefined, ended.signal).then(
        (data) => {
          setLoaded({ data, error: null, where });
          const wait = again(data);
          if (wait !== null) timer = window.setTimeout(load, wait);
        },
        (error: Error) => {
          if (!ended.signal.aborted) setLoaded((old) => ({ data: old.data, error: error.message, where }));
        },
      );
    };
    load();
    return () => {
      ended.abort();
      window.clearTimeout(timer);
    };
  }, [where]);
  return loaded;
}
