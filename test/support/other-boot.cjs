/** Preloaded into a process: the machine was started again since. */
'use strict';
const fs = require('node:fs');
const real = fs.readFileSync;
fs.readFileSync = (path, ...rest) =>
  path === '/proc/sys/kernel/random/boot_id' ? '00000000-0000-4000-8000-000000000000\n' : real(path, ...rest);
