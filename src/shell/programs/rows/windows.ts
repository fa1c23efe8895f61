/**
 * Programs of Windows, and commands of PowerShell that no program of another system stands for; the others are in
 * powershell/cmdlets.ts.
 */
import type { Row } from '../notation.ts';

export const WINDOWS: readonly Row[] = [
  {
    names: `format-volume clear-disk initialize-disk remove-partition reset-physicaldisk remove-virtualdisk remove-storagepool
    set-disk resize-partition`,
    operands: '-*',
    effects: 'disk erase on nothing',
    examples: { 'format-volume -driveletter D': 'disk erase' },
  },
  { names: 'vssadmin', subs: { 'delete|resize shadowstorage': 'disk volume' } },
  { names: 'wbadmin', subs: { delete: 'disk volume' } },
  {
    names: 'wmic',
    operands: '-*',
    effects: [
      'disk volume if >shadowcopy+delete',
      'power off if ~shutdown* ~reboot*',
      'process kill if >process+**+delete',
    ],
  },
  { names: 'fsutil', operands: '-*', subs: { 'usn deletejournal': 'disk volume' } },
  { names: 'cipher', operands: '-*', effects: 'disk erase if ~/w*' },
  {
    names: 'manage-bde disable-bitlocker',
    operands: '-*',
    effects: 'defence access if -off -mountpoint ~-forcerecovery',
  },
  {
    names: 'add-mppreference remove-mppreference disable-computerrestore',
    operands: '-*',
    effects: 'defence access',
  },
  { names: 'set-executionpolicy', operands: '-*', effects: 'defence access if -scope=localmachine' },
  {
    names: 'set-netfirewallprofile',
    operands: '-*',
    effects: 'defence firewall if -enabled=false ~-enabled:false',
  },
  { names: 'disable-netfirewallrule remove-netfirewallrule', operands: '-*', effects: 'defence firewall' },
  { names: 'clear-eventlog remove-eventlog', operands: '-*', effects: 'defence logs' },
  {
    names: 'reg',
    operands: '-*',
    subs: {
      add: {
        operands: '-*',
        effects: [
          'persist schedule if =*currentversion/run* =*/winlogon* =*/services/*',
          'defence access if =*/policies/* =*defender* =*/lsa*',
        ],
      },
      delete: { operands: '-*', effects: 'kernel change if =hklm* =hkey_local_machine* =registry* =hkcr*' },
      save: { operands: '-*', effects: 'secret show of stores if =*/sam =*/security =*/system' },
      'import|load|restore': 'persist schedule',
    },
    examples: { 'reg add hkcu/software/microsoft/windows/currentversion/run /v x': 'persist schedule' },
  },
  {
    names: 'register-scheduledtask set-scheduledtask register-scheduledjob new-service',
    operands: '-*',
    effects: 'persist schedule',
  },
  {
    names: 'sc',
    operands: '-*',
    subs: {
      stop: 'service stop',
      'delete|config|failure|sdset': 'service disable',
      create: 'persist schedule',
    },
  },
  {
    names: `new-localuser remove-localuser set-localuser enable-localuser disable-localuser add-localgroupmember
    remove-localgroupmember new-aduser remove-aduser set-aduser set-adaccountpassword add-adgroupmember`,
    operands: '-*',
    effects: 'account change',
  },
  { names: 'takeown', operands: '-*', effects: 'kernel change if =?:/windows* =?:/' },
  { names: 'icacls', operands: 'mode -*' },
  { names: 'attrib', operands: '-*' },
  { names: 'get-secret get-storedcredential', operands: '-*', effects: 'secret show of stores' },
  { names: 'convertfrom-securestring', operands: '-*', effects: 'secret show of stores if -asplaintext' },
  { names: 'remove-az*', operands: '-*', effects: 'remote delete of azure' },
  {
    names: 'remove-s3* remove-ec2* remove-rds* remove-cfn* remove-iam*',
    operands: '-*',
    effects: 'remote delete of aws',
  },
  {
    names: 'remove-vm remove-vmsnapshot remove-vmharddiskdrive',
    operands: '-*',
    effects: 'remote delete of containers',
  },
  {
    names: 'invoke-sqlcmd',
    options: '-query= -inputfile= -serverinstance= -database=',
    operands: '-*',
    values: '-query=code -inputfile=codefile',
    single: true,
    language: 'sql',
  },
];
