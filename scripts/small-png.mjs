// A picture of a page has few colours: as an indexed PNG it is a third as large. Reads what a browser writes (8 bits, RGB or RGBA, not interlaced).
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const MOST_COLOURS = 256;

export function smallPng(png) {
  const { width, height, pixels, size } = decode(png);
  const counts = new Map();
  const keyAt = (at) => (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
  for (let at = 0; at < pixels.length; at += size) counts.set(keyAt(at), (counts.get(keyAt(at)) ?? 0) + 1);
  const palette = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_COLOURS)
    .map(([key]) => key);
  const known = new Map(palette.map((key, i) => [key, i]));
  const indexOf = (key) => {
    if (!known.has(key)) known.set(key, nearest(palette, key));
    return known.get(key);
  };
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexOf(keyAt((y * width + x) * size));
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((key) => [key >> 16, (key >> 8) & 255, key & 255]));
  const parts = [
    ['IHDR', head],
    ['PLTE', colours],
    ['IDAT', deflateSync(rows, { level: 9 })],
    ['IEND', Buffer.alloc(0)],
  ];
  return Buffer.concat([SIGNATURE, ...parts.map(([name, data]) => chunk(name, data))]);
}

function nearest(palette, key) {
  const distance = (other) =>
    ((other >> 16) - (key >> 16)) ** 2 +
    (((other >> 8) & 255) - ((key >> 8) & 255)) ** 2 +
    ((other & 255) - (key & 255)) ** 2;
  let best = 0;
  for (let i = 1; i < palette.length; i++) if (distance(palette[i]) < distance(palette[best])) best = i;
  return best;
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

function decode(png) {
  const data = [];
  let [width, height, size] = [0, 0, 0];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (name === 'IHDR') {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      size = body[9] === 6 ? 4 : 3;
    } else if (name === 'IDAT') data.push(body);
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(data));
  const line = width * size;
  const pixels = Buffer.alloc(line * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (line + 1)];
    for (let x = 0; x < line; x++) {
      const left = x >= size ? pixels[y * line + x - size] : 0;
      const up = y > 0 ? pixels[(y - 1) * line + x] : 0;
      const corner = x >= size && y > 0 ? pixels[(y - 1) * line + x - size] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      pixels[y * line + x] = (raw[y * (line + 1) + 1 + x] + guess) & 255;
    }
  }
  return { width, height, pixels, size };
}

function paeth(a, b, c) {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  if (pa <= pb && pa <= pc) return a;
  return pb <= pc ? b : c;
}
