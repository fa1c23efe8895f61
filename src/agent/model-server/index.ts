/**
 * The scripted model server, for people who test agents: start it with a script, point the agent at its `url`, and look at
 * `requests()` afterwards.
 */
export type { Condition } from './condition.ts';
export type { DialectName, ModelRequest, OfferedTool, RequestMessage } from './model-request.ts';
export type { AnsweredBy, RecordedRequest } from './record.ts';
export type { ServerCompletion, ServerScript, SideRule } from './script.ts';
export { parseServerScript } from './script-file.ts';
export type { Delivery } from './send.ts';
export { type ModelServer, type ModelServerOptions, startModelServer } from './server.ts';
export { SIDE_RULES } from './side-requests.ts';
