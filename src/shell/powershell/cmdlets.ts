/**
 * What the commands of PowerShell and cmd are in the words of the programs that the table has rows for: a row says the names of a
 * command, the program, and what its parameters become. Rules, hooks and sentences then need no second vocabulary.
 *
 * Parameters in `takes`: `path=1` is the first operand, `path=1+` takes further ones too, `path=2:-d` is the second and becomes the
 * value of this option; `recurse=-r` a switch that becomes this
 * option; `outfile=-o:` a value behind this option; `filter=:` a value that is left out. What is not listed is a switch that is left
 * out. Names may be shortened as long as they are not ambiguous.
 */
export interface Cmdlet {
  /** The name and its aliases. */
  readonly names: string;
  /** Program and first words; `!` in front: a command of PowerShell that run.ts follows itself. */
  readonly to: string;
  readonly takes?: string;
  /** Without its first operand it takes what a pipe gives as operands. */
  readonly piped?: boolean;
}

export const CMDLETS: readonly Cmdlet[] = [
  {
    names: 'remove-item ri rm del erase rd rmdir',
    to: 'rm',
    takes: 'path=1+ literalpath=1+ recurse=-r force=-f filter=: include=: exclude=: credential=: stream=:',
    piped: true,
  },
  {
    names: 'copy-item cpi cp copy',
    to: 'cp',
    takes:
      'path=1+ literalpath=1+ destination=2 recurse=-r force=-f filter=: include=: exclude=: container= tosession=: fromsession=: passthru=',
    piped: true,
  },
  {
    names: 'move-item mi mv move',
    to: 'mv',
    takes: 'path=1+ literalpath=1+ destination=2 force=-f filter=: include=: exclude=: passthru=',
    piped: true,
  },
  { names: 'rename-item rni ren', to: 'mv', takes: 'path=1 literalpath=1 newname=2 force=-f', piped: true },
  {
    names: 'new-item ni',
    to: '!new-item',
    takes: 'path=1+ name=2 itemtype=type: type=type: value=value: target=value: force=',
  },
  { names: 'mkdir md', to: 'mkdir -p', takes: 'path=1+ name=2 force=' },
  { names: 'clear-content clc', to: 'truncate -s 0', takes: 'path=1+ literalpath=1+', piped: true },
  { names: 'clear-item cli', to: 'truncate -s 0', takes: 'path=1+ literalpath=1+', piped: true },
  { names: 'clear-recyclebin', to: 'rm -r ~/.local/share/Trash', takes: 'driveletter=: force=' },
  {
    names: 'set-content sc',
    to: '!tee',
    takes:
      'path=1 literalpath=1 value=2+ filepath=1 encoding=: force= nonewline= stream=: asbytestream= filter=: include=: exclude=:',
  },
  {
    names: 'add-content ac',
    to: '!tee -a',
    takes: 'path=1 literalpath=1 value=2+ encoding=: force= nonewline= stream=: asbytestream=',
  },
  {
    names: 'out-file',
    to: '!tee',
    takes:
      'filepath=1 literalpath=1 path=1 encoding=2 inputobject=3+ append=-a force= width=: noclobber= nonewline=',
  },
  {
    names: 'tee-object tee',
    to: 'tee',
    takes: 'filepath=1 literalpath=1 append=-a variable=: encoding=: inputobject=:',
  },
  {
    names: 'export-csv epcsv export-clixml',
    to: 'tee',
    takes:
      'path=1 literalpath=1 delimiter=: encoding=: notypeinformation= append=-a force= inputobject=: depth=:',
  },
  {
    names: 'import-csv ipcsv import-clixml import-powershelldatafile',
    to: 'cat',
    takes: 'path=1+ literalpath=1+ delimiter=: encoding=: header=:',
  },
  {
    names: 'get-content gc cat type',
    to: 'cat',
    takes:
      'path=1+ literalpath=1+ raw= tail=: totalcount=: head=: first=: last=: readcount=: wait= encoding=: delimiter=: filter=: include=: exclude=: stream=: asbytestream= force=',
    piped: true,
  },
  {
    names: 'get-childitem gci ls dir',
    to: '!get-childitem',
    takes:
      'path=1+ literalpath=1+ filter=filter: include=filter: exclude=: recurse=recurse depth=: force= name= file= directory= hidden= attributes=: followsymlink= system= readonly=',
  },
  {
    names: 'get-item gi get-itemproperty gp get-itempropertyvalue gpv',
    to: 'ls -d',
    takes: 'path=1+ literalpath=1+ name=: force= filter=: include=: exclude=: stream=:',
  },
  {
    names: 'test-path resolve-path rvpa convert-path',
    to: 'stat',
    takes: 'path=1+ literalpath=1+ pathtype=: isvalid= relative= filter=: include=: exclude=:',
  },
  { names: 'get-filehash', to: 'sha256sum', takes: 'path=1+ literalpath=1+ algorithm=:' },
  { names: 'format-hex fhx', to: 'xxd', takes: 'path=1+ literalpath=1+ encoding=: count=: offset=:' },
  { names: 'join-path', to: '!join-path', takes: 'path=1 childpath=2+ additionalchildpath=2+ resolve=' },
  { names: 'split-path', to: '\0?', takes: 'path=1 literalpath=1' },
  { names: 'unblock-file', to: 'stat', takes: 'path=1+ literalpath=1+' },
  { names: 'set-acl', to: 'chmod =', takes: 'path=1+ literalpath=1+ aclobject=: ' },
  { names: 'get-acl', to: 'stat', takes: 'path=1+ literalpath=1+' },
  {
    names: 'set-itemproperty sp new-itemproperty set-item si',
    to: '!set-property',
    takes: 'path=1 literalpath=1 name=2 value=value: type=: propertytype=: force=',
  },
  {
    names: 'remove-itemproperty rp clear-itemproperty clp',
    to: '!remove-property',
    takes: 'path=1 literalpath=1 name=2 force=',
  },
  {
    names: 'select-string sls',
    to: 'grep',
    takes:
      'pattern=1 path=2+ literalpath=2+ casesensitive= simplematch= quiet= list= context=: allmatches= encoding=: exclude=: include=: notmatch= raw= inputobject=:',
  },
  {
    names: 'where-object where ?',
    to: 'grep',
    takes:
      'property=: value=: filterscript=: eq=: ne=: gt=: lt=: ge=: le=: like=: notlike=: match=: notmatch=: in=: notin=: contains=: is=:',
  },
  {
    names: 'select-object select',
    to: 'head',
    takes:
      'property=: expandproperty=: first=: last=: skip=: unique= index=: excludeproperty=: inputobject=:',
  },
  {
    names: 'sort-object sort',
    to: 'sort',
    takes: 'property=: descending=-r unique=-u culture=: top=: bottom=:',
  },
  {
    names: 'get-unique gu group-object group',
    to: 'uniq',
    takes: 'property=: asstring= noelement= ashashtable=',
  },
  {
    names: 'measure-object measure',
    to: 'wc',
    takes: 'property=: line=-l sum= average= character= word= maximum= minimum=',
  },
  {
    names: 'compare-object compare diff',
    to: 'diff',
    takes: 'referenceobject=: differenceobject=: property=: includeequal= excludedifferent= passthru=',
  },
  {
    names: 'convertfrom-json convertto-json test-json',
    to: 'cat',
    takes: 'depth=: compress= inputobject=: ashashtable= noenumerate= json=: schema=:',
  },
  {
    names:
      'convertfrom-csv convertto-csv convertto-html convertto-xml out-string format-table ft format-list fl format-wide fw format-custom',
    to: 'cat',
    takes:
      'property=: delimiter=: width=: header=: autosize= groupby=: view=: wrap= hidetableheaders= stream= inputobject=:',
  },
  { names: 'write-output write echo', to: 'echo', takes: 'inputobject=1+ noenumerate=' },
  {
    names: 'write-host write-information write-verbose write-debug write-warning write-error out-host oh',
    to: 'echo',
    takes:
      'object=1+ message=1+ foregroundcolor=: backgroundcolor=: nonewline= separator=: exception=: category=:',
  },
  {
    names:
      'out-null set-strictmode set-psdebug clear-host cls write-progress start-transcript stop-transcript out-default',
    to: 'true',
    takes: 'version=: trace=: activity=: status=: percentcomplete=: path=: completed= id=:',
  },
  {
    names:
      'import-module ipmo remove-module rmo get-module gmo get-command gcm get-alias gal get-help help man get-member gm get-variable gv get-host get-psdrive gdr get-culture get-error get-verb update-help get-packageprovider get-psrepository',
    to: 'true',
    takes: 'name=1+',
  },
  { names: 'get-date', to: 'date', takes: 'format=: date=: uformat=: asutc=' },
  { names: 'get-location gl pwd', to: 'pwd' },
  {
    names: 'get-random get-securerandom new-guid new-timespan get-uptime',
    to: '\0?',
    takes: 'maximum=: minimum=: count=:',
  },
  { names: 'start-sleep sleep', to: 'sleep', takes: 'seconds=1 milliseconds=1 duration=1' },
  { names: 'set-location sl cd chdir', to: 'cd', takes: 'path=1 literalpath=1 stackname=: passthru=' },
  { names: 'push-location pushd', to: 'pushd', takes: 'path=1 literalpath=1 stackname=:' },
  { names: 'pop-location popd', to: 'popd', takes: 'stackname=:' },
  { names: 'get-process gps ps', to: 'ps', takes: 'name=1+ id=: includeusername= module= computername=:' },
  {
    names: 'stop-process spps kill',
    to: '!stop-process',
    takes: 'id=1+ name=name: force=-9 inputobject=1+ passthru=',
  },
  { names: 'wait-process debug-process', to: 'true', takes: 'id=1+ name=: timeout=:' },
  { names: 'get-service gsv', to: 'systemctl status', takes: 'name=1+ displayname=1+ computername=:' },
  {
    names: 'stop-service spsv suspend-service',
    to: 'systemctl stop',
    takes: 'name=1+ displayname=1+ force= inputobject=1+ passthru= nowait=',
    piped: true,
  },
  {
    names: 'start-service sasv resume-service',
    to: 'systemctl start',
    takes: 'name=1+ displayname=1+ inputobject=1+',
    piped: true,
  },
  { names: 'restart-service', to: 'systemctl restart', takes: 'name=1+ displayname=1+ force=', piped: true },
  { names: 'remove-service', to: 'systemctl disable', takes: 'name=1+ inputobject=1+', piped: true },
  {
    names: 'set-service',
    to: '!set-service',
    takes: 'name=1 startuptype=type: status=status: displayname=: description=:',
  },
  { names: 'stop-computer', to: 'shutdown -h now', takes: 'computername=: force= credential=:' },
  { names: 'restart-computer', to: 'reboot', takes: 'computername=: force= credential=: wait=' },
  {
    names: 'invoke-webrequest iwr curl wget invoke-restmethod irm',
    to: 'curl',
    takes:
      'uri=1 outfile=-o: infile=-T: body=-d: form=-F: method=-X: custommethod=-X: headers=: contenttype=: useragent=: usebasicparsing= credential=: token=: authentication=: skipcertificatecheck=-k websession=: sessionvariable=: timeoutsec=: maximumredirection=: proxy=: passthru= resume= retryintervalsec=: maximumretrycount=: skiphttperrorcheck= disablekeepalive= usedefaultcredentials= allowunencryptedauthentication= followrellink= statuscodevariable=: responseheadersvariable=:',
  },
  {
    names: 'start-bitstransfer',
    to: '!bits',
    takes: 'source=1+ destination=2 transfertype=type: displayname=: asynchronous= priority=: credential=:',
  },
  {
    names: 'send-mailmessage',
    to: 'mail',
    takes: 'to=1+ from=: subject=-s: body=: smtpserver=: attachments=-a: credential=: usessl= port=:',
  },
  {
    names: 'test-connection test-netconnection tnc',
    to: 'ping',
    takes: 'computername=1+ targetname=1+ count=: port=: quiet= informationlevel=:',
  },
  { names: 'resolve-dnsname', to: 'dig', takes: 'name=1 type=: server=:' },
  {
    names: 'compress-archive',
    to: 'zip -r',
    takes: 'destinationpath=1 path=2+ literalpath=2+ force= update= compressionlevel=:',
  },
  { names: 'expand-archive', to: 'unzip', takes: 'path=1 literalpath=1 destinationpath=2:-d force=' },
  {
    names: 'install-module inmo install-package install-script install-psresource',
    to: '\0install-module',
    takes: 'name=1+ scope=: repository=: force= minimumversion=: requiredversion=: allowclobber=',
  },
  {
    names: 'publish-module pumo publish-script publish-psresource',
    to: 'npm publish',
    takes: 'name=: path=: nugetapikey=: repository=: apikey=:',
  },
  { names: 'invoke-expression iex', to: '!invoke-expression', takes: 'command=1' },
  {
    names: 'invoke-item ii start-process saps start',
    to: '!start-process',
    takes:
      'filepath=1 path=1 literalpath=1 argumentlist=2+ args=2+ verb=verb: workingdirectory=: nonewwindow= wait= passthru= windowstyle=: redirectstandardoutput=: redirectstandarderror=: redirectstandardinput=: credential=: usenewenvironment= loaduserprofile=',
  },
  {
    names: 'invoke-command icm',
    to: '!invoke-command',
    takes:
      'computername=1+ session=1+ hostname=1+ scriptblock=: filepath=file: argumentlist=: credential=: asjob= usessl= vmname=1+ containerid=1+ nonewscope= inputobject=:',
  },
  {
    names: 'enter-pssession etsn new-pssession nsn',
    to: 'ssh',
    takes: 'computername=1 hostname=1 credential=: usessl= name=: session=:',
  },
  {
    names: 'foreach-object foreach %',
    to: '!foreach-object',
    takes:
      'process=: begin=: end=: membername=1 argumentlist=: parallel=: throttlelimit=: inputobject=: asjob=',
  },
  {
    names:
      'start-job sajb start-threadjob register-objectevent register-engineevent measure-command trace-command use-transaction invoke-history ihy r',
    to: '\0?',
    takes: 'scriptblock=: action=: filepath=: initializationscript=: argumentlist=: expression=: name=:',
  },
  {
    names: 'set-alias sal new-alias nal',
    to: '!set-alias',
    takes: 'name=1 value=2 scope=: force= option=: description=: passthru=',
  },
  {
    names: 'set-variable sv new-variable nv',
    to: '!set-variable',
    takes: 'name=1 value=2+ scope=: option=: force= visibility=: description=:',
  },
  { names: 'remove-variable rv clear-variable clv', to: '\0?', takes: 'name=1+ scope=: force=' },
  { names: 'read-host', to: '\0?', takes: 'prompt=1 assecurestring= maskinput=' },
  {
    names: 'new-object',
    to: '!new-object',
    takes: 'typename=1 comobject=com: argumentlist=2+ property=: strict=',
  },
  {
    names: 'add-type',
    to: '!add-type',
    takes:
      'typedefinition=code: assemblyname=: path=path: literalpath=path: memberdefinition=code: language=: name=: namespace=: usingnamespace=: referencedassemblies=: passthru= outputassembly=:',
  },
  {
    names: 'invoke-wmimethod invoke-cimmethod icim',
    to: '!wmi',
    takes:
      'classname=: class=: namespace=: methodname=: name=: arguments=1+ argumentlist=1+ path=: query=: computername=: inputobject=:',
  },
  {
    names: 'get-wmiobject gwmi get-ciminstance gcim',
    to: 'ps',
    takes: 'classname=: class=: namespace=: filter=: query=: computername=: property=:',
  },
  { names: 'clear-history clhy', to: 'history -c', takes: 'count=: id=: newest=' },
  { names: 'get-history ghy h history', to: 'history', takes: 'count=: id=:' },
  { names: 'get-clipboard gcb', to: '\0xclip -o', takes: 'raw= format=:' },
  { names: 'set-clipboard scb', to: '\0xclip', takes: 'value=: append=' },
  { names: 'get-credential', to: '\0?', takes: 'credential=: username=: message=:' },
  { names: 'new-symboliclink', to: 'ln -s', takes: 'target=1 path=2' },
];

/** Parameters of every command, and whether a value follows. */
export const COMMON = `verbose= debug= erroraction=: warningaction=: informationaction=: progressaction=: errorvariable=: warningvariable=:
  informationvariable=: outvariable=: outbuffer=: pipelinevariable=: whatif=whatif confirm= ea=: wa=: infa=: ev=: wv=: ov=: ob=: pv=: vb= db=
  cf= wi=whatif usetransaction=`;
