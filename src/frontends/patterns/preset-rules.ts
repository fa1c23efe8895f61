/**
 * Rules that most projects want and nobody should have to write again, in named sets. Each says which commands it is about and,
 * where there is one, the safer command that does the same.
 */

export interface PresetRule {
  readonly name: string;
  /** Regular expression (RE2) over one command without its quotes. */
  readonly matches: string;
  /** What makes the command harmless. */
  readonly unless?: string;
  readonly reason: string;
  /** The command line with the safer form in place; absent where there is none. */
  readonly rewrite?: (line: string) => string;
}

export interface Preset {
  readonly doc: string;
  readonly rules: readonly PresetRule[];
}

export const PRESETS: Readonly<Record<string, Preset>> = {
  git_safety: {
    doc: 'Pushing over the work of others, and throwing away work that is not committed.',
    rules: [
      {
        name: 'force_push',
        matches: String.raw`\bgit\s+push\b.*\s(--force|-f)(\s|$)`,
        reason: 'a forced push can overwrite the work of others; --force-with-lease cannot',
        rewrite: (line) =>
          line.replace(/(\bgit\s+push\b[^;&|]*?\s)(?:--force|-f)(?=\s|$)/g, '$1--force-with-lease'),
      },
      {
        name: 'no_verify',
        matches: String.raw`\bgit\s+(commit|push|merge)\b.*\s--no-verify(\s|$)`,
        reason: 'the checks of the repository are there to be run',
        rewrite: (line) => line.replace(/\s--no-verify(?=\s|$)/g, ''),
      },
      {
        name: 'hard_reset',
        matches: String.raw`\bgit\s+reset\b.*\s--hard(\s|$)`,
        reason: 'a hard reset throws away what is not committed',
      },
      {
        name: 'clean',
        matches: String.raw`\bgit\s+clean\b.*\s-[a-zA-Z]*f`,
        reason: 'git clean deletes files that git does not know and cannot bring back',
      },
    ],
  },
  package_installs: {
    doc: 'Packages whose install scripts run with the rights of the agent.',
    rules: [
      {
        name: 'install_scripts',
        matches: String.raw`\b(npm|pnpm|yarn)\s+(install|i|ci|add)\b`,
        unless: '--ignore-scripts',
        reason: 'install scripts of packages run unseen; --ignore-scripts keeps them from it',
        rewrite: (line) =>
          line.replace(
            /\b(?:npm|pnpm|yarn)\s+(?:install|i|ci|add)\b(?![^;&|]*--ignore-scripts)/g,
            '$& --ignore-scripts',
          ),
      },
    ],
  },
  open_permissions: {
    doc: 'Files that everybody on the machine may write.',
    rules: [
      {
        name: 'world_writable',
        matches: String.raw`\bchmod\b.*\s0?777(\s|$)`,
        reason: 'with 777 everybody may write the file; 755 lets only its owner',
        rewrite: (line) => line.replace(/(\bchmod\b[^;&|]*?\s)0?777(?=\s|$)/g, '$1755'),
      },
    ],
  },
  remote_scripts: {
    doc: 'Programs that come from the network and are run unread.',
    rules: [
      {
        name: 'pipe_to_shell',
        matches: String.raw`\b(curl|wget)\b[^;]*\|\s*(sudo\s+)?(ba|z|da|k)?sh\b`,
        reason: 'a script from the network is run before anybody has read it',
      },
    ],
  },
};
