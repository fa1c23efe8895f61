/** Stores of passwords, keys and secrets. */
import type { Row } from '../notation.ts';

export const STORES: readonly Row[] = [
  {
    names: 'infisical',
    effects: 'secret show of stores if -r',
    subs: {
      run: {
        options: '--env= --path= --projectId= --command= --watch',
        operands: '- -- command+',
        values: '--command=shell',
      },
      'show|get|secrets|secrets get|secrets download|export|read|extract|access|clip|password|getall|env':
        'secret show of stores',
    },
  },
  {
    names: 'chamber',
    effects: 'secret show of stores if -r',
    subs: {
      exec: { operands: '- -- command+' },
      'show|get|secrets|secrets get|secrets download|export|read|extract|access|clip|password|getall|env':
        'secret show of stores',
    },
  },
  {
    names: 'teller',
    effects: 'secret show of stores if -r',
    subs: {
      run: { options: 'c: --config= --shell', operands: '- -- command+' },
      'show|get|secrets|secrets get|secrets download|export|read|extract|access|clip|password|getall|env':
        'secret show of stores',
    },
  },
  {
    names: 'sops',
    prints: 'decoded if -d --decrypt >decrypt',
    effects: 'secret show of stores if -d --decrypt',
    subs: { 'exec-env': { options: '--background', operands: '- shell+' }, decrypt: 'secret show of stores' },
  },
  {
    names: 'op',
    subs: {
      run: { options: '--env-file= --no-masking --account=', operands: '- -- command+' },
      'item delete|vault delete|user delete|group delete|document delete': 'remote delete of secret-stores',
      'user suspend': 'remote change of secret-stores',
      'read|item get|document get|inject|get': 'secret show of stores',
    },
  },
  {
    names: 'doppler',
    effects: 'secret show of stores if -r',
    subs: {
      run: {
        options: 'p:c: --project= --config= --command= --fallback=',
        operands: '- -- command+',
        values: '--command=shell',
      },
      'show|get|secrets|secrets get|secrets download|export|read|extract|access|clip|password|getall|env':
        'secret show of stores',
    },
  },
  {
    names: 'etcdctl',
    subs: {
      'del|member remove|defrag|user delete|role delete|rm|rmdir|compact': 'remote delete of clusters',
      'snapshot restore|auth disable': 'remote change of clusters',
      get: 'secret show of stores if --prefix unless --keys-only --count-only',
    },
  },
  {
    names: 'netlify ntl',
    verbs: 'remote',
    subs: {
      'sites:delete|env:unset|functions:delete|blobs:delete': 'remote delete of platforms',
      'env:get': 'secret show of stores',
      'env:list': 'secret show of stores if --plain --json',
    },
  },
  {
    names: 'doctl',
    operands: '-*',
    effects: [
      `remote delete of platforms if >**+delete >**+rm >**+terminate >**+destroy >**+remove >**+delete-*
    >**+poweroff >**+power-off >**+shutdown >**+rebuild >**+bulk-delete >**+purge >**+halt >*+delete*
    >**+reboot unless >config >auth >context >plugin >**+list >ssh-key >account`,
      `remote change of platforms if >**+reset >**+stop >**+detach unless >config >auth >context >plugin
    >**+list >ssh-key >account`,
    ],
    verbs: 'remote',
    subs: { 'auth token|databases connection|registry docker-config': 'secret show of stores' },
  },
  {
    names: 'glab',
    prints: 'download if !>completion and !>aliases',
    verbs: 'remote',
    subs: {
      'repo delete|project delete|release delete|variable delete|mr delete|issue delete|ssh-key delete|ci delete|schedule delete|runner delete|delete|repos delete|label delete|snippet delete|api -x delete':
        'remote delete of forges',
      'repo transfer|repo archive': 'remote change of forges',
      'deploy-key add': 'remote create of forges',
      'auth status|config get token': {
        effects: ['secret show of stores if -t --show-token', 'secret show of stores if >config+get+token'],
      },
    },
  },
  {
    names: 'vault bao',
    verbs: 'remote',
    subs: {
      'operator seal|operator step-down|operator rekey|auth disable|secrets disable|write|token revoke|lease revoke':
        'remote change of vaults',
      'kv get|print token|unwrap': 'secret show of stores',
      read: 'secret show of stores unless >read+sys/* >read+auth/*/config',
    },
  },
  {
    names: 'kwallet-query kpcli',
    effects: ['secret show of stores', 'secret show of stores if -r'],
    subs: {
      'show|get|secrets|secrets get|secrets download|export|read|extract|access|clip|password|getall|env':
        'secret show of stores',
    },
  },
  {
    names: 'keepassxc-cli rbw dashlane dcli akeyless credstash berglas',
    effects: 'secret show of stores if -r',
    subs: {
      'show|get|secrets|secrets get|secrets download|export|read|extract|access|clip|password|getall|env':
        'secret show of stores',
    },
  },
  { names: 'keyctl', subs: { 'print|read|pipe|dump': 'secret show of stores' } },
  {
    names: 'rclone',
    prints: 'download if !>completion and !>aliases',
    subs: {
      'config show|config dump|reveal': 'secret show of stores',
      'delete|purge|deletefile|rmdirs|cleanup': 'remote delete of files-elsewhere',
      'sync|move|moveto|bisync': 'remote change of files-elsewhere',
    },
  },
  { names: 'age', prints: 'decoded if -d --decrypt', effects: 'secret show of stores if -d --decrypt' },
  { names: 'rage', effects: 'secret show of stores if -d --decrypt' },
  { names: 'ansible-vault', subs: { 'view|decrypt': 'secret show of stores' } },
  { names: 'git-credential-*', subs: { get: 'secret show of stores' } },
  {
    names: `chromedump browserdump firefox_decrypt dumpcreds linpeas.sh linpeas linenum.sh pspy pspy64`,
    effects: 'secret show of stores',
  },
  {
    names: 'zkcli.sh zkcli zookeeper-shell zookeeper-shell.sh',
    effects: 'remote delete of secret-stores if >**+deleteall >**+delete >**+rmr',
    subs: { 'deleteall|delete|rmr': 'remote delete of secret-stores' },
  },
  {
    names: 'bw',
    subs: {
      delete: 'remote delete of secret-stores',
      get: 'secret show of stores unless >get+template',
      'export|list items': 'secret show of stores',
    },
  },
  {
    names: 'lpass',
    subs: { 'rm|passwd': 'remote delete of secret-stores', 'show|export': 'secret show of stores' },
  },
  {
    names: 'pass gopass',
    effects: [
      `secret show of stores if >*/** >*/* unless >ls >list >git >insert >generate >init >find >search >grep`,
      `secret show of stores if =*/* unless >ls >list >git >insert >generate >init >find >search >grep`,
    ],
    subs: { 'rm|remove|delete': 'remote delete of secret-stores', 'show|cat|otp': 'secret show of stores' },
  },
  {
    names: 'secret-tool',
    subs: { clear: 'remote delete of secret-stores', 'lookup|search': 'secret show of stores' },
  },
  {
    // They take passwords and keys out of memory, databases of accounts and other programs' stores.
    names: `mimikatz lazagne pypykatz secretsdump secretsdump.py impacket-secretsdump nanodump hashdump pwdump samdump2 creddump7
    gsecdump fgdump mimipenguin chntpw unshadow pwunconv grpunconv john hashcat`,
    operands: '-*',
    effects: 'secret dump of stores unless --help --version -h',
    examples: { 'mimikatz sekurlsa::logonpasswords': 'secret dump of stores' },
  },
  {
    names: 'step cfssl easyrsa acme.sh',
    effects: 'remote delete of secret-stores if >revoke-*',
    subs: { 'ca revoke|revoke|delete': 'remote delete of secret-stores' },
  },
  {
    names: 'certbot',
    effects: 'remote delete of secret-stores if >revoke-* unless --dry-run',
    subs: { 'ca revoke|revoke|delete': 'remote delete of secret-stores unless --dry-run' },
  },
];
