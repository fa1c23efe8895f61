/** Milliseconds of work this process has done: how long something took, whatever else the machine does. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
