/**
 * A filter of system calls, as the bytes the kernel reads: what no ordinary program needs and what reaches around the other
 * walls. The rest is left to them. Null for a processor it is not written for.
 */

/** Instructions of the classic packet filter, as far as they are used here. */
const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const NO_PERMISSION = 0x00050000 | 1;
const NOT_THERE = 0x00050000 | 38;

/** Where the kernel puts the number of the call, the kind of processor, and the second argument. */
const CALL_NUMBER = 0;
const PROCESSOR = 4;
const SECOND_ARGUMENT = 24;

interface Processor {
  /** As the kernel names it. */
  readonly id: number;
  readonly ioctl: number;
  /** Calls of another width begin here; null if there are none. */
  readonly foreignFrom: number | null;
  readonly refused: readonly number[];
}

/** Keys of the session, other kernels, modules, tracing of others, files by handle, rings that go around this filter. */
const PROCESSORS: Readonly<Record<string, Processor>> = {
  x64: {
    id: 0xc000003e,
    ioctl: 16,
    foreignFrom: 0x40000000,
    // add_key request_key keyctl kexec_load kexec_file_load init_module finit_module delete_module bpf perf_event_open
    // userfaultfd open_by_handle_at io_uring_setup io_uring_enter io_uring_register process_vm_readv process_vm_writev
    refused: [248, 249, 250, 246, 320, 175, 313, 176, 321, 298, 323, 304, 425, 426, 427, 310, 311],
  },
  arm64: {
    id: 0xc00000b7,
    ioctl: 29,
    foreignFrom: null,
    refused: [217, 218, 219, 104, 294, 105, 273, 106, 280, 241, 282, 265, 425, 426, 427, 270, 271],
  },
};

/** They type on the terminal of the person who started the program. */
const TERMINAL_REQUESTS = [0x5412, 0x541c];

export function filterFor(arch: string): Uint8Array | null {
  const processor = Object.hasOwn(PROCESSORS, arch) ? PROCESSORS[arch]! : null;
  if (processor === null) return null;
  const { id, ioctl, foreignFrom, refused } = processor;
  const refuse = (values: readonly number[], how: number): Instruction[] =>
    values.flatMap((value) => [
      [JUMP_IF_EQUAL, 0, 1, value],
      [RETURN, 0, 0, how],
    ]);
  return assemble([
    [LOAD, 0, 0, PROCESSOR],
    [JUMP_IF_EQUAL, 1, 0, id],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, CALL_NUMBER],
    ...(foreignFrom === null
      ? []
      : ([
          [JUMP_IF_AT_LEAST, 0, 1, foreignFrom],
          [RETURN, 0, 0, NOT_THERE],
        ] as const)),
    ...refuse(refused, NO_PERMISSION),
    [JUMP_IF_EQUAL, 1, 0, ioctl],
    [RETURN, 0, 0, ALLOW],
    [LOAD, 0, 0, SECOND_ARGUMENT],
    ...refuse(TERMINAL_REQUESTS, NO_PERMISSION),
    [RETURN, 0, 0, ALLOW],
  ]);
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

function assemble(instructions: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(instructions.length * 8));
  for (const [i, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    bytes.setUint16(i * 8, code, true);
    bytes.setUint8(i * 8 + 2, ifTrue);
    bytes.setUint8(i * 8 + 3, ifFalse);
    bytes.setUint32(i * 8 + 4, value >>> 0, true);
  }
  return new Uint8Array(bytes.buffer);
}
