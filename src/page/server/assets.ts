/** The files of the browser's part, read once and kept packed: no path of a request ever reaches the disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Compressed; null if that does not pay. */
  readonly packed: Uint8Array<ArrayBuffer> | null;
}

export interface Assets {
  find(path: string): Asset | null;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

export function readAssets(folder: string): Assets {
  const files = new Map<string, Asset>();
  for (const name of readdirSync(folder)) {
    const type = TYPES[/\.(\w+)$/.exec(name)?.[1] ?? ''];
    if (type === undefined) continue;
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    files.set(`/${name}`, {
      type,
      bytes,
      packed: bytes.length < 1024 ? null : new Uint8Array(gzipSync(bytes)),
    });
  }
  return { find: (path) => files.get(path) ?? null };
}
