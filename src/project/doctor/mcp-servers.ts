/**
 * MCP servers that stand behind the proxy, as the files of their clients say it; and those in the same files that do not: what
 * somebody added after `harness install mcp` is judged by nobody. It only looks.
 */
import { existsSync } from 'node:fs';
import {
  type InstallTarget,
  isUser,
  MCP_CLIENTS,
  proxyOf,
  serversIn,
  textOnDisk,
} from '../../agents/index.ts';

export interface McpServer {
  readonly client: string;
  readonly server: string;
  readonly scope: 'project' | 'user';
  readonly file: string;
  /** Null: it stands behind the proxy, and that is there. */
  readonly problem: string | null;
}

/** Of the files in which at least one server is behind the proxy: the others are nobody's business here. */
export function mcpServers(places: readonly InstallTarget[]): McpServer[] {
  return places.flatMap((place) =>
    MCP_CLIENTS.flatMap((client) => {
      const file = client.file(place);
      const text = file === null ? null : textOnDisk(file);
      if (file === null || text === null) return [];
      const servers = Object.entries(serversIn(client, text)).map(([server, entry]) => ({
        server,
        proxy: proxyOf(client, entry),
      }));
      if (servers.every(({ proxy }) => proxy === null)) return [];
      const scope = isUser(place) ? 'user' : 'project';
      return servers.map(({ server, proxy }) => ({
        client: client.name,
        server,
        scope,
        file,
        problem: proxy === null ? 'it is not behind the proxy: its calls are not judged' : missingOf(proxy),
      }));
    }),
  );
}

/** The client cannot start such a server: its tools are gone, which is a fault and no hole. */
function missingOf(paths: readonly string[]): string | null {
  const gone = paths.filter((path) => !existsSync(path));
  return gone.length === 0 ? null : `its proxy cannot be started: ${gone.join(', ')} is not there`;
}

export function mcpProblem({ client, server, file, problem }: McpServer): string | null {
  return problem === null ? null : `MCP server ${server} of ${client}: ${problem} (${file})`;
}
