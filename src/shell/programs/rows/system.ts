/** Disks, processes, services, accounts, power, defences and time tables of a machine. */
import type { Row } from '../notation.ts';

export const SYSTEM: readonly Row[] = [
  {
    names: 'kill',
    operands: '-*',
    effects: [
      'process kill unless -0 -l -L',
      'process kill-all on nothing if ~-1 and #<1',
      'process kill-all on nothing if =-1',
    ],
    examples: { 'kill -9 -1': 'process kill-all', 'kill 4711': 'process kill' },
  },
  { names: 'killall pkill skill', operands: '-*', effects: 'process kill unless -0 -l --list' },
  { names: 'pgrep ps', operands: '-*' },
  {
    names: 'useradd adduser luseradd',
    options:
      'mMrNoUl b:c:d:e:f:g:G:k:K:p:R:s:u:Z: --system --gecos= --shell= --home= --uid= --ingroup= --groups=',
    operands: '-*',
    effects: 'account create',
    examples: { 'useradd -m -G sudo eve': 'account create' },
  },
  {
    names: 'usermod lusermod',
    options: 'aLoUm c:d:e:f:g:G:l:p:s:u: --append --groups= --password= --shell= --home= --uid= --login=',
    operands: '-*',
    effects: 'account rights',
    examples: { 'usermod -aG sudo eve': 'account rights' },
  },
  { names: 'groupadd addgroup', options: 'fr g:K:p: --gid=', operands: '-*', effects: 'account create' },
  {
    names: 'userdel deluser groupdel delgroup',
    options: 'frZ R: --remove --force',
    operands: '-*',
    effects: 'account delete',
  },
  {
    names: 'passwd',
    operands: '-*',
    effects: [
      'account change if -d -l -u -e --delete --lock --stdin',
      'account change if =root',
      'account change if elevated unless -S --status',
    ],
  },
  {
    names: 'systemctl',
    operands: '-*',
    effects: `power off if >isolate+* >set-default+rescue* >set-default+emergency* >set-default+poweroff*
    >set-default+*`,
    subs: {
      'reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|emergency|rescue|exit|start poweroff.target|start reboot.target|start halt.target|soft-reboot|default':
        'power off',
      'stop|disable|mask|kill|isolate': 'service stop',
      start: 'service start',
      'restart|try-restart|reload|reload-or-restart': 'service restart',
      'enable|unmask|reenable': 'service enable',
      'edit|link|set-property|revert': 'service change',
      'daemon-reload': 'service change on nothing',
    },
    examples: { 'systemctl stop nginx': 'service stop', 'systemctl poweroff': 'power off' },
  },
  {
    names: 'service rc-service',
    operands: '-*',
    effects: [
      'service stop if =stop =onestop =forcestop =quietstop',
      'service start if =start',
      'service restart if =restart =reload',
    ],
  },
  { names: 'rcctl', operands: '-*', subs: { 'stop|disable': 'service stop', restart: 'service restart' } },
  {
    names: 'parted',
    options: 's a: --script',
    operands: '-*',
    effects: 'disk divide if =mklabel =mktable =mkpart =rm =resizepart',
  },
  {
    names: 'mount',
    options: 't:o:L:U:O:',
    operands: 'read write',
    effects: 'mount if #1',
    examples: { 'mount /dev/sdb1 /mnt/usb': 'mount system.devices unknown' },
  },
  { names: 'umount', options: 't:O:', operands: '-*', effects: 'mount unmount' },
  {
    names: 'start-stop-daemon',
    options: `KSTbmoqtv a:c:d:g:k:n:p:R:s:u:x: --start --stop --status --background --make-pidfile --oknodo --quiet
    --test --verbose --exec= --startas= --pidfile= --user= --name= --chuid= --chdir= --group= --umask=
    --retry= --signal=`,
    values: '--exec|-x|--startas|-a=helper',
  },
  {
    names: 'at',
    options: 'mlrvVdbM f:q:t:c',
    language: 'sh',
    stdin: true,
    quiet: '-l -r -d -c -V',
    effects: ['persist schedule unless -l -c -V -r -d', 'persist schedule on nothing unless -l -c -V -r -d'],
  },
  {
    names: 'batch',
    options: 'f:q:',
    language: 'sh',
    stdin: true,
    effects: ['persist schedule unless -l -c -V -r -d', 'persist schedule on nothing unless -l -c -V -r -d'],
  },
  {
    names: 'crontab',
    options: 'elris u:T:n:',
    operands: 'codefile ?*',
    language: 'crontab',
    stdin: true,
    quiet: '-l -e -r',
    effects: ['persist schedule unless -l -e -r -V', 'persist remove on nothing if -r'],
    examples: { 'crontab -r': 'persist remove', 'crontab jobs.txt': 'persist schedule' },
  },
  {
    names: 'launchctl',
    subs: {
      reboot: 'power off',
      'unload|bootout|remove|disable': {
        effects: [
          `defence firewall if ~*falcon* ~*crowdstrike* ~*jamf* ~*sentinel* ~*defender* ~*santa* ~*osquery*
    ~*com.apple.*`,
          'service stop',
        ],
      },
      'stop|kill': 'service stop',
      'load|bootstrap|start|kickstart|enable|submit': 'service start',
    },
  },
  {
    names: 'shutdown poweroff reboot halt telinit systemctl-reboot pm-suspend pm-hibernate rtcwake',
    effects: 'power off unless -c -k --help --version -w --wtmp-only --show',
    examples: { 'shutdown -h now': 'power off' },
  },
  { names: 'init', effects: 'power off if =0 =1 =6 =s =S' },
  {
    names: 'loginctl',
    subs: {
      'terminate-user|terminate-session|kill-user|kill-session|reboot|poweroff|terminate-seat': 'power off',
      'enable-linger': 'account change',
    },
  },
  { names: 'pmset', subs: { 'sleepnow|displaysleepnow|schedule|repeat': 'power off' } },
  { names: 'racadm', subs: { serveraction: 'power off' } },
  { names: 'xl xm', subs: { 'destroy|shutdown': 'power off' } },
  {
    names: 'qm pct',
    subs: {
      'stop|reset': 'power off',
      destroy: { effects: ['power off', 'remote delete of containers'] },
      'delete|delsnapshot|vm-destroy|vm-uninstall|vdi-destroy|unlink|delnode': 'remote delete of containers',
      rollback: 'remote change of containers',
    },
  },
  {
    names: 'prlctl',
    subs: {
      stop: 'power off',
      delete: { effects: ['power off', 'remote delete of containers'] },
      'purge|factory-reset|prune|unregister|deletevm|rm': 'remote delete of containers',
    },
  },
  { names: 'kexec', effects: 'power off if -e -l --exec --load -p' },
  { names: 'ansible ansible-console', effects: 'power off if ~*reboot ~*shutdown* ~*poweroff*' },
  { names: 'gnome-session-quit xfce4-session-logout', effects: 'power off' },
  { names: 'wsl', effects: 'power off if --shutdown --unregister' },
  {
    names: 'chsh',
    effects: [
      'service network if -s=/tmp/** -s=/var/tmp/** -s=/dev/shm/**',
      `account change if elevated and =root =nobody =daemon =bin =sys =sync =mail =backup =www-data =nginx
    =postgres =mysql =redis =git =_* =systemd-*`,
    ],
  },
  { names: 'resolvectl', effects: 'service network if >dns+*+* >domain+*+*' },
  {
    names: 'networksetup',
    effects: ['service network if ~-set*', 'service network if ~-setnetworkserviceenabled ~-setairportpower'],
  },
  { names: 'arp', effects: 'service network if -s -d' },
  { names: 'hostnamectl', effects: 'service network if >set-hostname+* >hostname+*' },
  { names: 'ifconfig', effects: 'service network if =down' },
  { names: 'ifdown', effects: 'service network' },
  {
    names: 'nmcli',
    effects: ['service network if >con*+del*', 'secret show of stores if -s --show-secrets'],
    subs: { 'networking off|radio all off|device disconnect': 'service network' },
  },
  {
    names: 'timedatectl',
    effects: 'service network if >set-ntp+* unless =true =1 =yes =on',
    subs: { 'set-time': 'service network unless =true =1 =yes =on' },
  },
  { names: 'hwclock', effects: 'service network if --set -w --systohc' },
  { names: 'nvram', effects: ['kernel change if ~boot-args=*', 'kernel change if -c -d'] },
  { names: 'grub-mkconfig grub2-mkconfig', effects: 'kernel change if -o=/boot/**' },
  { names: 'fwupdmgr', subs: { 'install|downgrade': 'kernel change' } },
  {
    names: 'update-alternatives',
    effects: [
      'kernel change if --set --install and ~/tmp/** ~/home/** ~/dev/** ~/var/tmp/**',
      `defence access if ~/bin/true ~/usr/bin/true ~/bin/false ~/usr/bin/false and --set --install`,
    ],
  },
  { names: 'fsfreeze', effects: 'kernel change if -f --freeze' },
  { names: 'dmesg', effects: ['kernel change if -C --clear', 'defence logs if -C -c --clear and elevated'] },
  {
    names: 'insmod kextload kldload',
    effects: 'kernel change',
    examples: { 'insmod evil.ko': 'kernel change' },
  },
  { names: 'kmutil', effects: 'kernel change unless >showloaded >showloaded >inspect >find >libraries' },
  { names: 'rmmod kextunload kldunload', effects: 'kernel change if #1' },
  { names: 'rfkill', subs: { block: 'kernel change' } },
  { names: 'route', subs: { 'del|delete|flush': 'kernel change' } },
  {
    names: 'wpa_cli',
    effects: 'secret show of stores if -s --show-secrets',
    subs: { 'terminate|disable|stop-all|disconnect': 'kernel change' },
  },
  { names: 'connmanctl netctl', subs: { 'terminate|disable|stop-all|disconnect': 'kernel change' } },
  {
    names: 'modprobe',
    effects: [
      'kernel change if -r --remove -f --force --force-vermagic',
      'kernel load if #1 unless -r --remove -n -D',
    ],
  },
  {
    names: 'sysctl',
    effects: `kernel change if ~kernel.panic* ~kernel.randomize_va_space=0 ~kernel.dmesg_restrict=0
    ~kernel.kptr_restrict=0 ~kernel.yama.ptrace_scope=0 ~kernel.sysrq=* ~kernel.core_pattern=*
    ~kernel.modprobe=* ~kernel.perf_event_paranoid=-1 ~fs.protected_*=0 ~fs.suid_dumpable=*
    ~kernel.unprivileged_bpf_disabled=0 ~kernel.modules_disabled=* ~kernel.kexec_load_disabled=0
    ~net.ipv4.ip_forward=1 ~kernel.hotplug=*`,
  },
  { names: 'mokutil', effects: 'kernel change if --disable-validation --reset --import' },
  {
    names: 'csrutil',
    subs: {
      disable: { effects: ['kernel change', 'defence access'] },
      'authenticated-root disable|clear': 'kernel change',
    },
  },
  {
    names: 'flashrom',
    effects: 'kernel change if -w -E --write --erase',
    subs: { downgrade: 'kernel change' },
  },
  {
    names: 'aptitude zypper',
    operands: '-*',
    effects: 'package remove if -e --erase -P --purge -R --remove unless >install >update >upgrade',
    subs: {
      'remove|purge|autoremove|erase|del|rm|uninstall': 'package remove',
      'install|upgrade|dist-upgrade|full-upgrade|reinstall|update': 'package install',
    },
  },
  {
    names: 'dpkg rpm',
    operands: 'read*',
    effects: [
      `kernel change if --nodeps --force-all --force-remove-essential --force-depends and -e --erase -r
    --remove -P --purge`,
      'package install if -i --install -U -F',
      'package remove if -r -P --remove --purge -e --erase',
    ],
  },
  {
    names: 'apk',
    operands: '-*',
    effects: 'package remove if -e --erase -P --purge -R --remove unless >install >update >upgrade',
    subs: {
      'del|remove|purge|autoremove|erase|rm|uninstall': 'package remove',
      'add|upgrade|update': 'package install',
    },
  },
  { names: 'dpkg-divert', effects: 'kernel change if --add --rename --remove' },
  { names: 'ldconfig', effects: 'kernel change if -C -f' },
  { names: 'update-initramfs mkinitcpio dracut', effects: 'kernel change if -d --delete' },
  {
    names: 'firewall-cmd',
    effects: [
      'defence firewall if --panic-on',
      `defence firewall if ~--panic-off ~--set-default-zone=trusted ~--remove-* ~--zone=trusted
    ~--add-port=1-65535* ~--add-rich-rule=*accept* ~--disable-*`,
    ],
  },
  {
    names: 'ufw',
    subs: { 'disable|reset|default allow|delete|allow from any|logging off': 'defence firewall' },
    examples: { 'ufw disable': 'defence firewall' },
  },
  {
    names: 'iptables ip6tables iptables-legacy iptables-nft ebtables arptables',
    effects: 'defence firewall if -F --flush -X --delete-chain -Z -D --delete',
  },
  { names: 'iptables-restore ip6tables-restore', effects: 'defence firewall if -F' },
  { names: 'nft', subs: { 'flush|delete|destroy': 'defence firewall' } },
  { names: 'pfctl', effects: 'defence firewall if -d -F' },
  {
    names: 'socketfilterfw',
    effects: 'defence firewall if ~--setglobalstate ~--setblockall ~--setallowsigned',
  },
  { names: 'fail2ban-client', subs: { 'stop|unban|set': 'defence firewall' } },
  { names: 'rc-update chkconfig update-rc.d initctl' },
  {
    names: 'sv',
    subs: {
      'down|stop|force-stop|d|exit|x': 'service stop',
      'up|start|u': 'service start',
      'restart|t': 'service restart',
    },
  },
  {
    names: 'falconctl mdatp sentinelctl osqueryctl wazuh-control esets_daemon santactl',
    effects: 'defence firewall if ~-d ~--disable',
    subs: { 'stop|unload|disable|uninstall|config|exclusion add|protection off': 'defence firewall' },
  },
  {
    names: 'auditctl',
    effects: [
      'defence firewall if -D -e unless -l -s',
      'defence firewall if -e=0 unless -l -s',
      'defence firewall if ~-d ~--disable unless -l -s',
    ],
    subs: {
      'stop|unload|disable|uninstall|config|exclusion add|protection off': 'defence firewall unless -l -s',
    },
  },
  { names: 'setenforce', effects: 'defence access if =0 =permissive' },
  {
    names: 'semanage',
    subs: { permissive: 'defence access unless >permissive+-l', 'fcontext -d|boolean -m': 'defence access' },
  },
  { names: 'setsebool', effects: 'defence access if #1' },
  {
    names: `aa-disable aa-complain aa-teardown aa-remove-unknown tpm2_clear tpm_clear bcdedit set-mppreference
    auditpol`,
    effects: 'defence access',
  },
  { names: 'apparmor_parser', effects: 'defence access if -R --remove' },
  { names: 'spctl', effects: 'defence access if ~--master-disable ~--global-disable ~--disable ~--add' },
  { names: 'xattr', effects: 'defence access if -d -rd -dr -c -cr -r and ~com.apple.quarantine' },
  { names: 'fdesetup', subs: { disable: 'defence access' } },
  { names: 'tccutil', subs: { reset: 'defence access' } },
  { names: 'wevtutil', effects: 'defence access', subs: { 'cl|clear-log': 'defence logs' } },
  {
    names: 'defaults',
    subs: { write: 'defence access if ~com.apple.LaunchServices ~*LSQuarantine* ~*com.apple.alf*' },
  },
  { names: 'log', subs: { erase: 'defence logs' } },
  { names: 'wtmpclean utmpdump', effects: 'defence logs if -r' },
  { names: 'history', effects: 'defence history if -c -d -w -p' },
  { names: 'fc', effects: 'defence history if -p -P' },
  {
    names: '',
    effects: [
      `defence history if =HISTFILE=/dev/null =HISTFILE= =HISTSIZE=0 =HISTFILESIZE=0 =SAVEHIST=0
    =HISTCONTROL=ignore* =HISTIGNORE=?* unless =HISTCONTROL=ignoredups* =HISTCONTROL=erasedups*`,
      `defence tls if =NODE_TLS_REJECT_UNAUTHORIZED=0 =GIT_SSL_NO_VERIFY=* =PYTHONHTTPSVERIFY=0
    =CURL_CA_BUNDLE= =REQUESTS_CA_BUNDLE=`,
    ],
  },
  {
    names: 'setopt unsetopt',
    effects: 'defence history if =HIST_IGNORE_ALL =sharehistory =incappendhistory',
  },
  { names: 'clear-history remove-item', effects: 'defence history if ~*PSReadLine* ~*ConsoleHost_history*' },
  { names: 'trust', subs: { anchor: 'defence tls' } },
  {
    names: 'security',
    subs: {
      'add-trusted-cert|authorizationdb write|set-key-partition-list|delete-certificate': 'defence tls',
      'delete-generic-password|delete-internet-password|delete-keychain|delete-identity':
        'remote delete of secret-stores',
      'find-generic-password|find-internet-password|dump-keychain|export|find-key': {
        effects: ['secret show of stores if -w -g -d', 'secret show of stores if >dump-keychain >export'],
      },
    },
  },
  { names: 'certutil', effects: 'defence tls if -A -addstore' },
  { names: 'keytool', effects: 'defence tls if -importcert -import and elevated' },
  { names: 'mkcert', effects: 'defence tls if -install' },
  { names: 'dscl', effects: 'account change if ~-create ~-append ~-delete ~-passwd ~-change ~-merge' },
  { names: 'net', subs: { 'user|localgroup': 'account change if /add /delete' } },
  {
    names: 'chfn',
    effects: `account change if elevated and =root =nobody =daemon =bin =sys =sync =mail =backup =www-data =nginx
    =postgres =mysql =redis =git =_* =systemd-*`,
  },
  { names: 'faillock pam_tally2', effects: 'account change if --reset -r' },
  { names: 'schtasks', effects: 'persist schedule if /create /change' },
  { names: 'xkill', operands: '-*', effects: 'process kill' },
  { names: 'killall5', operands: '-*', effects: 'process kill-all' },
  {
    names: 'printenv',
    operands: '-*',
    effects: [
      'secret show of variables if #<1',
      'secret show of variable if =*SECRET* =*TOKEN* =*PASSWORD* =*PASSWD* =*API_KEY* =*ACCESS_KEY* =*PRIVATE_KEY*',
    ],
  },
  {
    names: 'harness harness-hooks',
    operands: '-*',
    subs: {
      'pause|accept|trust|untrust|uninstall|approvals allow|daemon stop|policy off':
        'policy loosen on nothing',
      'sandbox|mcp|acp': { options: 'd: --dir= --name= --http= --target=', operands: '-- command+' },
    },
    examples: { 'harness pause': 'policy loosen', 'harness status': 'nothing' },
  },
  { names: 'fallocate', options: 'cdinvxz l:o: --length= --offset= --posix', operands: 'write*' },
];
