/**
 * Tools of every kind: Markdown artifacts, TypeScript, MCP servers, and the policy that says which are offered.
 */
export { type ArgumentsOf, defineTool, type Parameter, type ToolSpec } from './define-tool.ts';
export { connectMcp, type McpConnections, type McpFault, type McpOptions, type McpServer } from './mcp.ts';
export { type ReadTools, readTools } from './read-tools.ts';
export { judgeTool, type ToolSet, type ToolsPolicy, toolSet, toolsPolicy } from './tool-set.ts';
