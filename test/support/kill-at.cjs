/** Preloaded into a process: kills it by SIGKILL before the change number KILL_AT that it makes to files. */
'use strict';
const fs = require('node:fs');

let left = Number(process.env.KILL_AT);
for (const name of [
  'writeFileSync',
  'mkdirSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
  'rmSync',
  'copyFileSync',
]) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (--left === 0) process.kill(process.pid, 'SIGKILL');
    return real(...args);
  };
}
