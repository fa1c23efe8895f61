/**
 * The names under which policies know tools, whatever an agent calls them: one `when:` and one pack hold everywhere. A
 * tool that is in no table is judged under its own name with its own arguments.
 */
export interface CanonicalTool {
  readonly about: string;
  /** Arguments that are there under these names if the agent gives them. */
  readonly args: Readonly<Record<string, string>>;
}

export const CANONICAL_TOOLS = {
  run_command: {
    about: 'Runs a command in a shell.',
    args: { command: 'The command line, as one text.', cwd: 'Working folder, if it is not the session’s.' },
  },
  read_file: { about: 'Reads one file.', args: { path: 'The file.' } },
  write_file: {
    about: 'Writes one file as a whole.',
    args: { path: 'The file.', content: 'What it will hold.' },
  },
  edit_file: {
    about: 'Changes, moves or deletes one file; a patch of several files is one call each.',
    args: {
      path: 'The file.',
      old: 'Text that goes.',
      new: 'Text that takes its place.',
      to: 'New path of a moved file.',
      delete: 'True for a file that is deleted.',
    },
  },
  list_files: { about: 'Lists a folder or files that match.', args: { path: 'Where.', pattern: 'Glob.' } },
  search_files: { about: 'Searches in files.', args: { path: 'Where.', pattern: 'What.' } },
  fetch_url: { about: 'Reads an address of the web.', args: { url: 'The address.' } },
  web_search: { about: 'Searches the web.', args: { query: 'What.' } },
  delegate: {
    about: 'Starts a sub-agent.',
    args: { agent: 'Which.', prompt: 'Its task.' },
  },
} as const satisfies Record<string, CanonicalTool>;
