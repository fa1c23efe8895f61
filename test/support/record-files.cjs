/**
 * Preloaded into a process: writes each of its changes to files below a folder into a log, in their order, one JSON line each. What takes
 * something away is logged before it is done and everything else after, so that the log of several processes has an order that was possible.
 */
'use strict';
const fs = require('node:fs');
const { dirname, join, resolve } = require('node:path');

const root = process.env.RECORD_ROOT;
const real = { ...fs };
const log = real.openSync(process.env.RECORD_LOG, 'a');
/** By descriptor. */
const open = new Map();
let depth = 0;

const isInside = (path) => path === root || path.startsWith(`${root}/`);
const at = (path) => resolve(String(path));
const there = (path) => real.lstatSync(path, { throwIfNoEntry: false });
const tell = (op) => real.writeSync(log, `${JSON.stringify(op)}\n`);

/** Only the outermost call counts: functions of the file system call each other. */
function watch(name, act) {
  const original = real[name];
  fs[name] = (...args) => {
    if (depth > 0) return original(...args);
    depth++;
    try {
      return act((...given) => original(...(given.length > 0 ? given : args)), ...args);
    } finally {
      depth--;
    }
  };
}

function changed(path, data, position) {
  tell({
    op: 'write',
    ino: real.statSync(path).ino,
    at: position,
    data: Buffer.from(data).toString('base64'),
  });
}

function made(path) {
  const found = there(path);
  if (found?.isFile()) tell({ op: 'create', path, ino: found.ino });
  else if (found?.isSymbolicLink()) tell({ op: 'symlink', path, target: real.readlinkSync(path) });
  else if (found?.isDirectory()) tell({ op: 'mkdir', path });
}

/** Everything below a path that was copied there. */
function copied(path) {
  made(path);
  const found = there(path);
  if (found?.isFile()) changed(path, real.readFileSync(path), 0);
  if (found?.isDirectory()) for (const name of real.readdirSync(path)) copied(join(path, name));
}

function removed(path) {
  const found = there(path);
  if (found === undefined) return;
  if (!found.isDirectory()) return tell({ op: 'unlink', path });
  for (const name of real.readdirSync(path)) removed(join(path, name));
  tell({ op: 'rmdir', path });
}

const isEmptied = (flags) => typeof flags === 'number' && (flags & fs.constants.O_TRUNC) !== 0;
const isAppended = (flags) =>
  typeof flags === 'number' ? (flags & fs.constants.O_APPEND) !== 0 : String(flags).startsWith('a');

watch('openSync', (call, given, flags = 'r') => {
  const path = at(given);
  const before = isInside(path) ? there(path) : undefined;
  const fd = call();
  if (!isInside(path)) return fd;
  open.set(fd, { path, position: 0, append: isAppended(flags) });
  if (before === undefined) made(path);
  else if ((isEmptied(flags) || String(flags).startsWith('w')) && before.size > 0)
    tell({ op: 'size', ino: before.ino, size: 0 });
  return fd;
});
watch('closeSync', (call, fd) => {
  open.delete(fd);
  return call();
});
watch('writeSync', (call, fd, data, ...rest) => {
  const file = open.get(fd);
  const before = file === undefined ? 0 : real.fstatSync(fd).size;
  const count = call();
  if (file === undefined) return count;
  const isText = typeof data === 'string';
  const bytes = isText ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const from = isText || typeof rest[0] !== 'number' ? 0 : rest[0];
  const position = file.append ? before : file.position;
  tell({
    op: 'write',
    ino: real.fstatSync(fd).ino,
    at: position,
    data: bytes.subarray(from, from + count).toString('base64'),
  });
  file.position = position + count;
  return count;
});
for (const name of ['writeFileSync', 'appendFileSync'])
  watch(name, (call, target, data, options) => {
    const { flag = name === 'appendFileSync' ? 'a' : 'w', flush = false } =
      (typeof options === 'object' && options) || {};
    const file =
      typeof target === 'number'
        ? open.get(target)
        : { path: at(target), append: isAppended(flag), position: 0 };
    if (file === undefined || !isInside(file.path)) return call();
    const before = typeof target === 'number' ? real.fstatSync(target) : there(file.path);
    const result = call();
    if (before === undefined) made(file.path);
    else if (flag === 'w' && typeof target !== 'number' && before.size > 0)
      tell({ op: 'size', ino: before.ino, size: 0 });
    const position = file.append ? (before?.size ?? 0) : file.position;
    const ino = typeof target === 'number' ? before.ino : there(file.path).ino;
    tell({ op: 'write', ino, at: position, data: Buffer.from(data).toString('base64') });
    file.position = position + Buffer.byteLength(data);
    if (flush) tell({ op: 'sync', ino });
    return result;
  });
watch('ftruncateSync', (call, fd, size = 0) => {
  const result = call();
  if (open.has(fd)) tell({ op: 'size', ino: real.fstatSync(fd).ino, size });
  return result;
});
for (const name of ['fsyncSync', 'fdatasyncSync'])
  watch(name, (call, fd) => {
    const result = call();
    const file = open.get(fd);
    if (file === undefined) return result;
    const stat = real.fstatSync(fd);
    tell(stat.isDirectory() ? { op: 'syncdir', path: file.path } : { op: 'sync', ino: stat.ino });
    return result;
  });
watch('mkdirSync', (call, given) => {
  const missing = [];
  for (let path = at(given); isInside(path) && there(path) === undefined; path = dirname(path))
    missing.unshift(path);
  const result = call();
  for (const path of missing) made(path);
  return result;
});
watch('mkdtempSync', (call) => {
  const path = call();
  if (isInside(at(path))) made(at(path));
  return path;
});
watch('renameSync', (call, from, to) => {
  if (isInside(at(to)) && there(at(from)) !== undefined) tell({ op: 'rename', path: at(from), to: at(to) });
  return call();
});
watch('linkSync', (call, from, to) => {
  const result = call();
  if (isInside(at(to))) tell({ op: 'link', path: at(from), to: at(to) });
  return result;
});
watch('symlinkSync', (call, _target, path) => {
  const result = call();
  if (isInside(at(path))) made(at(path));
  return result;
});
for (const name of ['unlinkSync', 'rmdirSync', 'rmSync'])
  watch(name, (call, path) => {
    if (isInside(at(path))) removed(at(path));
    return call();
  });
for (const name of ['copyFileSync', 'cpSync'])
  watch(name, (call, _from, to) => {
    const result = call();
    if (isInside(at(to))) copied(at(to));
    return result;
  });
