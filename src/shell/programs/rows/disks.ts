/** Disks, volumes and file systems. */
import type { Row } from '../notation.ts';

export const DISKS: readonly Row[] = [
  {
    names: 'mkfs',
    options: 't:b:L:',
    operands: '-*',
    effects: [
      'disk erase if device unless -N -n --help unless >show-super',
      'disk erase if unknown and elevated',
    ],
    examples: { 'mkfs.ext4 /dev/sdb1': 'disk erase system.devices' },
  },
  {
    names: 'mke2fs',
    options: 'c b:C:d:e:E:f:g:G:i:I:J:l:L:m:M:N:o:O:r:t:T:U:z:',
    operands: '-*',
    effects: [
      'disk erase if device unless -N -n --help unless >show-super',
      'disk erase if unknown and elevated',
    ],
  },
  {
    names: 'mkswap',
    options: 'L:p:U:v:e:',
    operands: '-*',
    effects: 'disk erase if device unless -N -n --help unless >show-super',
  },
  {
    names: 'wipefs',
    options: 'o:O:t: --offset= --types= --output=',
    operands: '-*',
    values: '-O=write',
    effects: [
      'disk erase if -a --all -o and device unless -n --no-act',
      'disk erase if -a --all and unknown',
    ],
  },
  {
    names: 'flash_erase flash_eraseall flashcp nandwrite ubiformat',
    operands: '-*',
    effects: 'disk erase if device unless -h --help',
    examples: { 'ubiformat /dev/mtd0': 'disk erase system.devices' },
  },
  {
    names: 'blkdiscard',
    options: 'l:o:p: --offset= --length= --step=',
    operands: '-*',
    effects: 'disk erase unless -h --help',
  },
  {
    names: 'sgdisk',
    options: 'a:A:b:c:C:d:e:g:h:i:l:m:n:p:r:R:s:S:t:T:u:U:',
    operands: '-*',
    values: '-b=write -l=read',
    effects: 'disk erase if -Z -z -o --zap-all --zap --clear -d --delete -n --new -R',
  },
  {
    names: 'fdisk',
    options: 'b:c::C:H:o:S:t:u::w:W:',
    operands: '-*',
    effects: `disk erase if device unless -d --dump -l --list -J --json -s --show-size -V --verify -F -x -n --no-act
    -T --list-types`,
  },
  {
    names: 'sfdisk',
    options: 'A:N:O:o:Y:w:W:X:',
    operands: '-*',
    effects: `disk erase if device unless -d --dump -l --list -J --json -s --show-size -V --verify -F -x -n --no-act
    -T --list-types`,
  },
  { names: 'losetup', operands: '- read', effects: 'disk volume if -D --detach-all' },
  {
    names: 'cryptsetup',
    options: 'c:h:s:d:S:i:l: --key-file= --type= --cipher=',
    operands: '-*',
    values: '-d|--key-file=read',
    subs: {
      'luksformat|lukserase|erase|lukskillslot|luksremovekey|reencrypt|luksheaderrestore':
        'disk volume if device',
    },
  },
  { names: 'e2image', effects: 'disk erase if -ra and device' },
  { names: 'hdiutil', subs: { erasekeys: 'disk erase' } },
  {
    names: 'mkfs.*',
    effects: [
      'disk erase if device unless -N -n --help unless >show-super',
      'disk erase if unknown and elevated',
    ],
  },
  {
    names: 'mkntfs mkdosfs mkexfatfs mkudffs newfs newfs_* zpool-create bcachefs',
    effects: 'disk erase if device unless -N -n --help unless >show-super',
  },
  { names: 'fdformat', effects: 'disk erase unless -h --help' },
  {
    names: `pvcreate vgcreate vgextend xfs_admin btrfs-convert mkfs_msdos nilfs-tune jfs_tune reiserfstune bcache
    make-bcache growpart sfill mkisofs`,
    effects: 'disk erase if device unless -t --test -l -u -p --dry-run -N',
  },
  {
    names: 'gdisk cfdisk',
    effects: `disk erase if device unless -d --dump -l --list -J --json -s --show-size -V --verify -F -x -n --no-act
    -T --list-types`,
  },
  {
    names: 'nvme',
    subs: {
      'format|sanitize|write-zeroes|write-uncor|dsm|delete-ns|reset|subsystem-reset|write': 'disk erase',
    },
  },
  {
    names: 'hdparm',
    effects: `disk erase if --security-erase --security-erase-enhanced --security-set-pass --trim-sector-ranges
    --write-sector --make-bad-sector --fwdownload`,
  },
  { names: 'sg_format sg_sanitize sg_unmap sg_write_same diskpart', effects: 'disk erase' },
  { names: 'scrub nwipe dban', effects: 'disk erase if device' },
  { names: 'badblocks', effects: 'disk erase if -w and device' },
  {
    names: 'diskutil',
    effects: 'disk erase if >erase* >apfs+delete* >apfs+erase*',
    subs: {
      'partitiondisk|zerodisk|randomdisk|secureerase|reformat|cs delete|cs deletelvg|splitpartition|mergepartitions':
        'disk erase',
    },
  },
  { names: 'gpart', subs: { 'destroy|delete|create|resize|bootcode': 'disk erase' } },
  { names: 'format format.com', effects: 'disk erase if =[a-zA-Z]:' },
  {
    names: 'helmfile',
    effects: 'disk volume if >**+destroy >**+delete',
    subs: { 'destroy|delete': 'remote delete of clusters' },
  },
  {
    names: 'jfrog jf',
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
      'rt del|rt delete': 'disk volume',
      'delete|destroy|terminate|purge|remove|rm|erase|wipe|nuke|bulk-delete': 'remote delete of platforms',
    },
  },
  {
    names: 'rancher',
    subs: {
      'clusters delete|cluster delete': 'disk volume',
      delete: { effects: ['disk volume', 'remote delete of clusters'] },
      'app delete|app terminate-op|proj rm|cluster rm|repo rm|uninstall|backup delete|restore delete|schedule delete|rm':
        'remote delete of clusters',
      suspend: 'remote change of clusters',
      'app sync': 'remote change of clusters unless !--prune and !--force',
    },
  },
  { names: 'snapper', effects: 'disk volume if >**+delete', subs: { 'delete|undochange': 'disk volume' } },
  { names: 'fsarchiver', subs: { 'restfs|restdir': 'disk volume' } },
  {
    names: 'rados',
    subs: {
      'rmpool|purge|osd purge|osd destroy|osd pool delete|osd pool rm|rm|image rm|fs rm': 'disk volume',
    },
  },
  { names: 'lvremove vgremove pvremove lvreduce vgreduce pvmove', effects: 'disk volume unless -t --test' },
  { names: 'lvm', subs: { 'lvremove|vgremove|pvremove|lvreduce': 'disk volume' } },
  { names: 'mdadm', effects: 'disk volume if --create -C --zero-superblock --stop -S --fail -f --remove -r' },
  { names: 'zpool', subs: { 'destroy|labelclear|remove|detach|offline|create': 'disk volume unless -n' } },
  {
    names: 'zfs',
    effects: 'disk volume if >set+* and -r -R -f',
    subs: { destroy: 'disk volume unless -n', rollback: 'disk volume if -r -R -f' },
  },
  {
    names: 'btrfs',
    effects: 'disk volume if >sub*+del* >rescue+* unless >check and !--repair',
    subs: {
      'subvolume delete|device delete|device remove|balance start': 'disk volume',
      check: 'disk volume unless !--repair',
    },
  },
  { names: 'debugfs', effects: 'disk volume if -w' },
  {
    names: 'resize2fs xfs_growfs',
    effects: [
      'disk volume if device and #2',
      'disk volume if device and -y -a -p -f -L -fy -O -m -U unless -n -N',
    ],
  },
  {
    names: 'lvchange vgchange',
    effects: ['disk volume if -an', 'disk volume if -a=n -a=no', 'disk volume if --activate=n --activate=no'],
  },
  {
    names: 'tune2fs xfs_repair e2fsck fsck fsck.* ntfsfix dosfsck',
    effects: 'disk volume if device and -y -a -p -f -L -fy -O -m -U unless -n -N',
  },
  { names: 'dmsetup', subs: { 'remove|remove_all|wipe_table|suspend': 'disk volume' } },
  {
    names: 'grub-install grub2-install bootctl update-grub-legacy lilo',
    effects: 'disk volume unless >status >list unless -V --version',
  },
  { names: 'efibootmgr', effects: 'disk volume if -B --delete-bootnum -O --delete-bootorder -o' },
  {
    names: 'ceph rbd',
    subs: { 'osd purge|osd destroy|osd pool delete|osd pool rm|rm|purge|image rm|fs rm': 'disk volume' },
  },
  { names: 'gluster', subs: { 'volume delete|volume stop': 'disk volume' } },
  { names: 'testdisk', effects: 'disk volume' },
  { names: 'tmutil', subs: { 'delete|deletelocalsnapshots|disable|deleteinprogress': 'disk volume' } },
  {
    names: 'timeshift',
    effects: [
      'disk volume if --delete --delete-all --restore',
      `remote delete of backups if --remove-older-than --delete -d --nuke --delete-all --force --delete-backup`,
    ],
    subs: {
      'remove-older-than|remove-all-but-n-full|delete|prune|purge|remove|cleanup|forget|rm':
        'remote delete of backups',
    },
  },
];
