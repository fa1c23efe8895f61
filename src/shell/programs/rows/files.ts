/** Programs that read, write, move, search, pack and delete files. */
import type { Row } from '../notation.ts';

export const FILES: readonly Row[] = [
  {
    names: 'sleep seq expr basename dirname which id whoami uname yes',
    operands: '-*',
    examples: {
      'dd if=disk.img of=/dev/sda': 'read workspace; write system.devices; disk write system.devices',
    },
  },
  {
    names: 'tr',
    operands: '-*',
    prints: 'decoded if =*-* =*[[]:*',
    examples: {
      'dd if=disk.img of=/dev/sda': 'read workspace; write system.devices; disk write system.devices',
    },
  },
  {
    names: 'dd',
    operands: '-*',
    prints: 'decoded',
    examples: {
      'dd if=disk.img of=/dev/sda': 'read workspace; write system.devices; disk write system.devices',
    },
  },
  {
    names: 'date',
    options: 'd:f:r:s: --date= --file= --reference= --set=',
    operands: '-*',
    values: '-f|-r|--file|--reference=read',
    effects: 'service network if -s --set',
  },
  { names: 'hostname', options: 'F:', operands: '-*', values: '-F=read' },
  {
    names: 'man',
    options: 'P:H::C:L:M:S:e:m:p:R: --pager= --html[=]',
    operands: '-*',
    values: '-P|--pager|-H|--html=helper',
  },
  {
    names: 'tmux',
    options: 'c:f:L:S:T:t:n:s:',
    operands: '-*',
    values: '-f=read',
    subs: {
      'new-session|new': { options: 'AdDEPX c:e:f:F:n:s:t:x:y:', operands: 'shell+' },
      'new-window': { options: 'abdkPS c:e:F:n:t:', operands: 'shell+' },
      'split-window': { options: 'bdfhIvPZ c:e:F:l:t:', operands: 'shell+' },
      'run-shell|run': { options: 'bC c:d:t:', operands: 'shell+' },
      'if-shell|if': { options: 'bF t:', operands: 'shell+' },
      'pipe-pane|pipep': { options: 'IOo t:', operands: 'shell+' },
      'send-keys|send': { options: 'FHKlMRX c:N:t:', operands: 'shell*' },
      'respawn-pane': { options: 'k c:e:t:', operands: 'shell+' },
    },
  },
  {
    names: 'cat tac nl cmp comm',
    operands: 'read*',
    prints: 'content',
    examples: {
      'cat ~/.ssh/id_rsa': 'read home.credentials; secret show home.credentials',
      'cat README.md': 'read workspace',
    },
  },
  {
    names: 'zcat bzcat xzcat zstdcat lz4cat uudecode uncompress rev',
    operands: 'read*',
    prints: 'decoded',
    examples: {
      'cat ~/.ssh/id_rsa': 'read home.credentials; secret show home.credentials',
      'cat README.md': 'read workspace',
    },
  },
  { names: 'md5sum sha1sum sha256sum sha512sum readlink', operands: 'read*' },
  {
    names: 'less',
    options: 'b:h:j:k:o:O:p:P:t:T:x:y:z:',
    operands: 'read*',
    values: '-o|-O=write',
    marked: 'helper:plus-bang',
    prints: 'content',
  },
  { names: 'more', operands: 'read*', marked: 'helper:plus-bang', prints: 'content' },
  { names: 'bat', options: '--pager=', operands: 'read*', values: '--pager=helper', prints: 'content' },
  {
    names: 'head tail',
    options: 'c:n:s: --bytes= --lines= --sleep-interval= --pid= --max-unchanged-stats=',
    operands: 'read*',
    prints: 'content',
  },
  { names: 'wc', options: '--files0-from=', operands: 'read*', values: '--files0-from=read' },
  {
    names: 'ls',
    options: 'I:T:w: --ignore= --hide= --color[=] --sort= --time= --format= --block-size=',
    operands: 'read*',
  },
  { names: 'stat', options: 'ft c: --file-system --terse --format= --printf=', operands: 'read*' },
  {
    names: 'file',
    options: 'f:F:m:P:e: --files-from= --magic-file=',
    operands: 'read*',
    values: '-f|-m=read',
  },
  {
    names: 'du',
    options: `B:d:t:X: --max-depth= --exclude= --exclude-from= --files0-from= --block-size= --threshold=`,
    operands: 'read*',
    values: '-X|--exclude-from|--files0-from=read',
  },
  {
    names: 'grep egrep fgrep zgrep ag ack',
    options: `A:B:C:D:d:e:f:m: --after-context= --before-context= --context= --regexp= --file= --max-count= --include=
    --exclude= --exclude-dir= --exclude-from= --color[=] --colour[=] --label= --binary-files= --devices=
    --directories=`,
    operands: '- read*',
    values: '-f|--file|--exclude-from=read',
    instead: '-e -f --regexp --file',
    prints: 'content',
  },
  {
    names: 'rg',
    options: `A:B:C:E:e:f:g:j:M:m:r:t:T: --glob= --type= --regexp= --file= --context= --max-count= --replace=
    --max-depth= --sort= --iglob=`,
    operands: '- read*',
    values: '-f=read',
    instead: '-e -f --regexp --file --files',
    prints: 'content',
  },
  {
    names: 'cut',
    options: 'b:c:d:f: --bytes= --characters= --delimiter= --fields= --output-delimiter=',
    operands: 'read*',
    prints: 'content',
  },
  {
    names: 'sort',
    options: `k:o:S:t:T: --key= --output= --field-separator= --buffer-size= --temporary-directory= --parallel=
    --files0-from= --random-source= --compress-program=`,
    operands: 'read*',
    values: '-o|--output|-T=write --files0-from=read --compress-program=helper',
    prints: 'content',
  },
  {
    names: 'uniq',
    options: 'f:s:w: --skip-fields= --skip-chars= --check-chars=',
    operands: 'read write',
    prints: 'content',
  },
  {
    names: 'diff',
    options: 'U:C:I:L:W:x:X: --unified[=] --context[=] --label= --exclude= --width=',
    operands: 'read*',
    prints: 'content',
  },
  { names: 'join', options: '1:2:a:e:j:o:t:v:', operands: 'read*', prints: 'content' },
  { names: 'paste', options: 'd:', operands: 'read*', prints: 'content' },
  { names: 'fold', options: 'w:', operands: 'read*', prints: 'content' },
  { names: 'fmt', options: 'w:p:g:', operands: 'read*', prints: 'content' },
  { names: 'column', options: 's:c:o:N:R:H:', operands: 'read*', prints: 'content' },
  {
    names: 'base64',
    options: 'w: --wrap=',
    operands: 'read*',
    prints: 'decoded if -d -D --decode',
    examples: { 'echo cm0gLXJmIH4= | base64 -d | sh': 'run from decoded' },
  },
  { names: 'xxd', options: 'c:g:l:o:s:n:R:', operands: 'read write', prints: 'decoded if -r' },
  { names: 'od', options: 'A:j:N:S:t:w::', operands: 'read*', prints: 'content' },
  { names: 'hexdump', options: 'e:f:n:s:', operands: 'read*', prints: 'content' },
  { names: 'strings', options: 'n:t:e:T:s:U:', operands: 'read*', prints: 'content' },
  {
    names: 'jq',
    options: 'f:L: --from-file= --arg= --argjson= --indent= --slurpfile= --rawfile=',
    operands: '- read*',
    values: '-f|--from-file|--slurpfile|--rawfile=read',
    instead: '-f --from-file',
    prints: 'content',
  },
  {
    names: 'yq',
    options: 'f:o:p:I:P: --from-file= --output-format= --input-format= --indent=',
    operands: '- read*',
    values: '-f=read',
    inPlace: '-i --inplace --in-place',
    prints: 'content',
  },
  {
    names: 'find gfind',
    options: `-name= -iname= -path= -ipath= -wholename= -regex= -iregex= -type= -maxdepth= -mindepth= -mtime= -mmin=
    -ctime= -cmin= -atime= -amin= -newer= -size= -user= -group= -perm= -uid= -gid= -links= -inum= -samefile=
    -lname= -ilname= -fstype= -printf= -fprintf= -fprint= -fprint0= -fls= -context= -used= -xtype=`,
    operands: 'read*',
    single: true,
    recursive: 'always',
    examples: { 'find ~ -delete': 'delete recursive home' },
  },
  {
    names: 'fd fdfind',
    options: `d:e:E:t:x:X:j:S:c:o: --max-depth= --extension= --exclude= --type= --exec= --exec-batch= --color= --size=
    --owner=`,
    operands: '- read*',
  },
  { names: 'tree', options: 'L:P:I:o:H:T:', operands: 'read*', values: '-o=write' },
  { names: 'realpath', options: '--relative-to= --relative-base=', operands: 'read*' },
  {
    names: 'gzip bzip2 xz zstd',
    options: 'S:b:o: --suffix= --output=',
    operands: 'edit*',
    recursive: '-r --recursive',
    values: '-o|--output=write',
    prints: 'decoded if -d --decompress -dc',
  },
  {
    names: 'gunzip bunzip2 unxz unzstd',
    options: 'S:b:o: --suffix= --output=',
    operands: 'edit*',
    values: '-o|--output=write',
    prints: 'decoded',
  },
  { names: 'tee', operands: 'write*', examples: { 'echo x | tee /etc/hosts': 'write system.config' } },
  {
    names: 'touch',
    options: 'd:r:t: --date= --reference= --time=',
    operands: 'write*',
    values: '-r|--reference=read',
  },
  {
    names: 'truncate',
    options: 'r:s: --reference= --size=',
    operands: 'write*',
    values: '-r|--reference=read',
  },
  { names: 'mkdir', options: 'Z m: --mode= --context[=]', operands: 'write*' },
  { names: 'mkfifo', options: 'm: --mode=', operands: 'write*' },
  { names: 'mknod', options: 'm: --mode=', operands: 'write -*' },
  { names: 'mktemp', options: 'p: --suffix= --tmpdir[=]', operands: 'write*', values: '-p|--tmpdir=write' },
  {
    names: 'chmod chown chgrp',
    options: `--recursive --changes --silent --quiet --verbose --preserve-root --no-preserve-root --dereference
    --no-dereference --reference= --from=`,
    operands: '- mode*',
    values: '--reference=read',
    instead: '--reference',
    recursive: '-R --recursive',
    examples: { 'chmod -R 777 /etc': 'permissions recursive system.config' },
  },
  { names: 'chattr', options: 'p:v:', operands: '- mode*', recursive: '-R --recursive' },
  {
    names: 'setfacl',
    options: 'm:M:x:X: --modify= --remove= --set= --modify-file=',
    operands: 'mode*',
    values: '-M|-X=read',
    recursive: '-R --recursive',
  },
  { names: 'setfattr', options: 'n:v:x: --name= --value= --remove=', operands: 'mode*' },
  { names: 'setcap', operands: '- mode*' },
  {
    names: 'cp',
    options: 'Z S:t: --suffix= --target-directory= --context[=]',
    operands: 'read* write',
    values: '-t|--target-directory=write',
    recursive: '-r -R -a --recursive --archive',
    examples: { 'cp a /etc/hosts': 'read workspace; write system.config' },
  },
  {
    names: 'ln',
    options: 'S:t:Z:: --suffix= --target-directory=',
    operands: 'read* write',
    values: '-t|--target-directory=write',
  },
  {
    names: 'mv',
    options: 'S:t: --suffix= --target-directory=',
    operands: 'delete* write',
    values: '-t|--target-directory=write',
    examples: { 'mv a b': 'delete workspace; write workspace' },
  },
  {
    names: 'install ginstall',
    options: 'g:m:o:S:t: --group= --mode= --owner= --suffix= --target-directory=',
    operands: 'read* write',
    values: '-t|--target-directory=write',
  },
  {
    names: 'patch',
    options: 'B:D:F:V:Y:d:g:i:o:p:r:z: --input= --output= --directory= --strip=',
    operands: 'edit read',
    values: '-i|--input=read -o|-d|--output|--directory=write',
  },
  { names: 'nano', options: 'T:r:o:f:', operands: 'edit*' },
  {
    names: 'tar',
    options: `b:C:f:F:g:H:I:K:L:N:T:V:X: --file= --directory= --files-from= --exclude-from= --exclude=
    --listed-incremental= --transform= --strip-components= --use-compress-program= --to-command=
    --checkpoint-action= --format= --owner= --group= --mode= --mtime= --sort= --rsh-command= --info-script=
    --new-volume-script= --rmt-command=`,
    operands: 'read*',
    values: `-f|--file|-g|--listed-incremental=edit -C|--directory=write -T|--files-from|-X|--exclude-from=read
    --checkpoint-action=helper:exec
    --to-command|--use-compress-program|-I|--rsh-command|--info-script|--new-volume-script|--rmt-command|-F=helper`,
    prints: 'decoded if -O --to-stdout',
    examples: { 'tar czf out.tgz src': 'read workspace; write workspace' },
  },
  {
    names: 'bsdtar',
    options: `b:C:f:F:g:H:I:K:L:N:T:V:X: --file= --directory= --files-from= --exclude-from= --exclude=
    --listed-incremental= --transform= --strip-components= --use-compress-program= --to-command=
    --checkpoint-action= --format= --owner= --group= --mode= --mtime= --sort=`,
    operands: 'read*',
    values: `-f|--file|-g|--listed-incremental=edit -C|--directory=write -T|--files-from|-X|--exclude-from=read`,
    prints: 'decoded if -O --to-stdout',
  },
  {
    names: 'zip',
    options: 'dop x:i:P:b:t:n:O: -TT= --unzip-command= --out= --output-file=',
    operands: 'edit read*',
    values: '-O|--out|--output-file=write --unzip-command|-TT=helper',
  },
  { names: 'unzip', options: 'd:x:P:', operands: 'read -*', values: '-d=write', prints: 'decoded if -p' },
  { names: 'nasm', options: 'f:o:l:I:P:d:D:E:O:F:X:Z:s:w:', operands: 'read*', values: '-o|-l|-MF=write' },
  { names: 'yasm', options: 'f:o:l:I:P:d:D:m:p:a:g:r:', operands: 'read*', values: '-o|-l=write' },
  { names: '7z', operands: '- edit read*', prints: 'decoded if -so' },
  { names: 'ar', operands: '- edit read*' },
  {
    names: 'cpio',
    options: 'C:D:E:F:H:I:M:O:R: --directory= --file= --rsh-command=',
    operands: '-*',
    values: '-F=edit -I=read -O|-D=write --rsh-command=helper',
    prints: 'decoded if --to-stdout',
  },
  {
    names: 'split',
    options: 'a:b:C:l:n:t: --bytes= --lines= --number= --filter= --suffix-length=',
    operands: 'read write',
    values: '--filter=helper',
    effects: `remote delete of platforms if >*+delete >*+*+delete >*+*+*+delete >*+destroy >*+*+destroy >*+*+*+destroy
    >*+terminate >*+*+terminate >*+*+*+terminate >*+purge >*+*+purge >*+*+*+purge >*+remove >*+*+remove
    >*+rm >*+*+rm >*+erase >*+*+erase >*+wipe >*+*+wipe >*+nuke >*+*+nuke >delete-* >*+delete-*
    >*+*+delete-* >*-delete >*+*-delete >*+*+*-delete >*:delete >destroy-* >*+destroy-* >*+*+destroy-*
    >*-destroy >*+*-destroy >*+*+*-destroy >*:destroy >terminate-* >*+terminate-* >*+*+terminate-*
    >*-terminate >*+*-terminate >*+*+*-terminate >*:terminate >purge-* >*+purge-* >*+*+purge-* >*-purge
    >*+*-purge >*+*+*-purge >*:purge >remove-* >*+remove-* >*+*+remove-* >*-remove >*+*-remove >*+*+*-remove
    >*:remove >*+delete?* >*+terminate?* >*+release?*instance* >*+*+bulk-delete unless >config >configure
    >auth >context >plugin >plugins >completion >help >cache >login >profile >alias`,
    subs: {
      'delete|destroy|terminate|purge|remove|rm|erase|wipe|nuke|bulk-delete': 'remote delete of platforms',
    },
  },
  { names: 'csplit', options: 'f:n:b: --prefix=', operands: 'read -*', values: '-f|--prefix=write' },
  {
    names: 'rm grm safe-rm',
    options: `--recursive --force --verbose --dir --one-file-system --no-preserve-root --interactive[=]
    --preserve-root[=]`,
    operands: 'delete*',
    recursive: '-r -R --recursive',
    examples: {
      'rm -rf ~/Documents': 'delete recursive home.documents',
      'rm -rf build': 'delete recursive generated',
      'rm notes.txt': 'delete workspace',
      'rm -r "$DIR"': 'delete recursive unknown',
    },
  },
  {
    names: `yamllint markdownlint markdownlint-cli2 shellcheck hadolint jsonlint vale cspell aspell tokei cloc scc eza exa lsd
    glow shasum b2sum cksum sum sha224sum sha384sum getfacl lsattr xdg-open open code cursor subl zed idea pycharm tig`,
    operands: 'read*',
  },
  {
    names: 'prettier gofmt shfmt clang-format eslint stylelint biome',
    options: `wi --write --fix --check --list-different --config= --ignore-path= --plugin= --parser= --ext= --ignore-pattern=
    --resolve-plugins-relative-to= --format= --max-warnings= --rule= --style=`,
    operands: 'read*',
    inPlace: '-w -i --write --fix',
    mixed: true,
  },
  { names: 'rmdir unlink trash trash-put rmtrash', operands: 'delete*' },
  { names: 'del del-cli', operands: 'delete*', recursive: 'always' },
  { names: 'srm', operands: 'delete*', recursive: '-r -R --recursive', effects: 'disk erase if device' },
  {
    names: 'shred',
    options: 'n:s: --iterations= --size= --random-source= --remove[=]',
    operands: 'delete*',
    values: '--random-source=read',
    effects: 'disk erase if device',
  },
  {
    names: 'rimraf',
    options: '--preserve-root= --tmp= --retry-delay= --max-retries=',
    operands: 'delete*',
    recursive: 'always',
  },
  {
    names: 'gio',
    operands: '-*',
    subs: { 'trash|remove': { operands: 'delete*' }, 'move|rename': { operands: 'delete* write' } },
  },
  { names: 'tmpwatch', options: 'U:x:X: --user= --exclude= --exclude-pattern=', operands: '- delete*' },
  { names: 'tmpreaper', options: '--protect= --runtime=', operands: '- delete*' },
  { names: 'wipe', options: 'b:S:C:l:o:x:Q:R:', operands: 'delete*', effects: 'disk erase if device' },
  {
    names: 'openssl',
    options: `-in= -out= -inkey= -key= -CAfile= -cert= -signkey= -keyout= -passin= -passout= -pass= -k= -days= -subj=
    -config= -newkey= -connect= -servername= -rand= -md= -iv= -K= -S=`,
    operands: '- -*',
    values: '-in|-inkey|-key|-CAfile|-cert|-signkey=read -out|-keyout=write',
    single: true,
    prints: 'decoded if -d -decode',
  },
  {
    names: 'gpg gpg2',
    options: `a o:r:u: --output= --recipient= --local-user= --keyring= --homedir= --passphrase= --passphrase-file=
    --batch --cipher-algo=`,
    operands: 'read*',
    values: '-o|--output=write',
    prints: 'decoded if -d --decrypt',
    effects: [
      `remote delete of secret-stores if --delete-secret-keys --delete-secret-key
    --delete-secret-and-public-key`,
      `secret show of stores if --export-secret-keys --export-secret-subkeys --export-secret-key`,
    ],
  },
  {
    names: 'ffmpeg',
    options: `-i= -c= -ss= -t= -vf= -af= -b= -r= -f= -codec= -map= -filter_complex= -crf= -preset= -to= -s= -vcodec=
    -acodec=`,
    operands: 'write',
    values: '-i=read',
    single: true,
  },
  { names: 'batcat', options: '--pager=', values: '--pager=helper', prints: 'content' },
  { names: 'delta', options: '--pager=', values: '--pager=helper' },
  { names: 'rd', operands: 'delete*', recursive: '/s' },
  { names: 'base32 basenc gbase64', operands: 'read*', prints: 'decoded if -d -D --decode' },
  { names: 'lz4 steghide zbarimg', prints: 'decoded' },
];
