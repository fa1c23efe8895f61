/** The MCP proxy, its pins and lock file. */
export { askInQueue } from './acceptance.ts';
export { type Front, startFront } from './http-front.ts';
export { LineSplitter, MAX_MESSAGE_BYTES } from './lines.ts';
export { addPins, LOCK_FILE, lockOf, savePins } from './lock-file.ts';
export { pinning } from './pinning.ts';
export { pinsIn } from './pins.ts';
export { McpProxy, type ProxyOptions } from './proxy.ts';
export { nameOf, openServer, type ServerSide, type Target, targetOf, walled, writeLine } from './target.ts';
export { wantsLogin } from './wants-login.ts';
