/**
 * Passwords given to programs as an option with a short name, which only means a password for that program:
 * `mysql -pSECRET`, `sshpass -p SECRET`, `curl -u user:SECRET`.
 */
import { isPlaceholder } from '../placeholders.ts';
import { NOTHING, type PlaceRule, type Span } from '../rule.ts';

interface ProgramOption {
  readonly programs: readonly string[];
  /** Finds the option on the rest of the line; its last group is the secret. */
  readonly option: RegExp;
}

const OPTIONS: readonly ProgramOption[] = [
  {
    programs: ['curl ', 'wget ', 'httpie '],
    option:
      /\s(?:-u|--user|--proxy-user|-U)[ =]{0,2}(?:"[^":\n]{1,100}:([^"\n]{3,200})"|'[^':\n]{1,100}:([^'\n]{3,200})'|[^\s"':]{1,100}:([^\s"';|&]{3,200}))/,
  },
  {
    programs: ['mysql', 'mariadb'],
    option: /\s-p(?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s"';|&-][^\s"';|&]{2,200}))/,
  },
  {
    programs: [
      'sshpass ',
      'docker login',
      'podman login',
      'helm registry login',
      'az login',
      'mongo ',
      'mongosh ',
      'mongodump ',
      'mongorestore ',
      'oc login',
      'rdesktop ',
      'skopeo login',
      'az acr login',
    ],
    option:
      /\s(?:-p|--password)[ =]{0,2}(?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s"';|&-][^\s"';|&]{2,200}))/,
  },
  {
    programs: ['redis-cli '],
    option: /\s(?:-a|--pass)[ =](?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s"';|&-][^\s"';|&]{2,200}))/,
  },
  {
    programs: ['ldapsearch ', 'ldapadd ', 'ldapmodify ', 'ldapdelete ', 'ldapwhoami ', 'ldappasswd '],
    option: /\s-w[ ]{0,2}(?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s"';|&-][^\s"';|&]{2,200}))/,
  },
  {
    programs: ['sqlcmd ', 'bcp ', 'isql ', 'tsql '],
    option: /\s-P[ ]{0,2}(?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s"';|&-][^\s"';|&]{2,200}))/,
  },
  {
    programs: ['zip ', '7z ', 'unrar ', 'rar '],
    option: /\s(?:-P |-p|-hp)(?:"([^"\n]{4,200})"|'([^'\n]{4,200})'|([^\s"';|&-][^\s"';|&]{3,200}))/,
  },
  {
    programs: ['smbclient ', 'rpcclient ', 'mount.cifs', 'smbget '],
    option: /\s-U[ ]{0,2}["']?[^\s"'%]{1,100}%()()([^\s"']{3,200})/,
  },
  {
    programs: ['htpasswd '],
    option:
      /\s-\w{0,4}b\w{0,4}\s{1,3}\S{1,200}\s{1,3}\S{1,100}\s{1,3}(?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s"';|&]{3,200}))/,
  },
  {
    programs: ['xfreerdp ', 'cmdkey '],
    option: /\s\/p(?:ass)?:(?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s"';|&]{3,200}))/,
  },
  { programs: ['lftp '], option: /\s-u[ ]{0,2}["']?[^\s"',]{1,100},()()([^\s"']{3,200})/ },
  {
    programs: ['security add-generic-password', 'security add-internet-password', 'security unlock-keychain'],
    option: /\s-[wp] (?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s"';|&-][^\s"';|&]{2,200}))/,
  },
  { programs: ['net user ', 'net use '], option: /net use?r? \S{1,100} ()()([^\s"'/*]{6,100})(?= \/)/ },
];

const LINE = 600;

export const PROGRAM_RULES: readonly PlaceRule[] = [
  {
    id: 'program-password',
    what: 'Password given to a program on its command line',
    keywords: OPTIONS.flatMap(({ programs }) => programs),
    look: programPassword,
  },
];

function programPassword(text: string, at: number): readonly Span[] {
  const found = OPTIONS.find(({ programs }) => programs.some((name) => startsWithProgram(text, at, name)));
  if (found === undefined) return NOTHING;
  // A command may go on after a backslash at the end of a line.
  const stretch = text.slice(at, at + LINE).replace(/\\\r?\n/g, (gap) => ' '.repeat(gap.length));
  const end = stretch.search(/\n/);
  const line = end === -1 ? stretch : stretch.slice(0, end);
  const match = found.option.exec(line);
  const value = match?.slice(1).findLast((part) => part !== undefined && part !== '');
  if (match === null || match === undefined || value === undefined || isPlaceholder(value)) return NOTHING;
  const start = at + match.index + match[0].lastIndexOf(value);
  return [[start, start + value.length]];
}

function startsWithProgram(text: string, at: number, name: string): boolean {
  return text.slice(at, at + name.length).toLowerCase() === name;
}
