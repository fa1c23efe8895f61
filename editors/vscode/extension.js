/**
 * The client: starts `harness lsp` for the folder that is open, and passes on what it says. All knowledge is in the server.
 */
const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

let client;

exports.activate = async (context) => {
  const [command, ...args] = vscode.workspace.getConfiguration('harness').get('command');
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  client = new LanguageClient(
    'harness',
    'Harness',
    { command, args: [...args, 'lsp'], transport: TransportKind.stdio, options: { cwd: folder } },
    {
      documentSelector: [
        { scheme: 'file', language: 'starlark' },
        { scheme: 'file', pattern: '**/.harness/**/*.md' },
        { scheme: 'file', pattern: '**/harness.md' },
      ],
    },
  );
  context.subscriptions.push(client);
  await client.start();
};

exports.deactivate = () => client?.stop();
