/** Requests to the server this page came from, and to no other. */
import { useEffect, useState } from 'preact/hooks';

export async function ask<T>(where: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await fetch(`/api${where}`, {
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
