import { cpus, totalmem } from 'node:os';
import { parseQuantity, quantityValue } from '@manta/api';

/** What the user wants the node to advertise, as Kubernetes quantities; derived from the machine if absent. */
export interface WantedCapacity {
  readonly cpus?: string | undefined;
  readonly memory?: string | undefined;
}

/** What this machine has. */
export interface Machine {
  readonly cpus: number;
  readonly memoryBytes: number;
}

/** What the node advertises. */
export interface NodeCapacity extends Readonly<Record<string, string>> {
  readonly cpu: string;
  readonly memory: string;
}

const MIB = 2 ** 20;
/** What the machine itself keeps. */
const RESERVED_BYTES = 1024 * MIB;
/** Ray's samples ask for whole CPUs that are idle most of the time: a small machine could not place them. */
const SMALLEST_CPUS = 4;

/** What the node advertises: twice the CPUs of the machine, at least four, and its memory without 1 GiB. */
export function nodeCapacity(wanted: WantedCapacity = {}, machine: Machine = thisMachine()): NodeCapacity {
  const memoryMib = Math.max(1, Math.floor((machine.memoryBytes - RESERVED_BYTES) / MIB));
  return {
    cpu: wanted.cpus ?? String(Math.max(SMALLEST_CPUS, machine.cpus * 2)),
    memory: wanted.memory ?? `${memoryMib}Mi`,
    'ephemeral-storage': '100Gi',
  };
}

/** The capacity in one line, with what the machine has where that is another amount, and the flags that set it. */
export function describeCapacity(
  { cpu, memory }: NodeCapacity,
  wanted: WantedCapacity = {},
  machine: Machine = thisMachine(),
): string {
  const amount = `${cpu} CPUs and ${gibibytes(memory)} of memory`;
  const own = `this machine has ${machine.cpus} CPUs and ${inGibibytes(machine.memoryBytes)}`;
  const flags = wanted.cpus === undefined || wanted.memory === undefined ? '; --cpus and --memory set it' : '';
  return `pods can request ${amount} in total (${own}${flags})`;
}

function thisMachine(): Machine {
  return { cpus: cpus().length, memoryBytes: totalmem() };
}

function gibibytes(quantity: string): string {
  const parsed = parseQuantity(quantity);
  return parsed.ok ? inGibibytes(Number(quantityValue(parsed.value))) : quantity;
}

function inGibibytes(bytes: number): string {
  return `${Number((bytes / 2 ** 30).toFixed(1))} GiB`;
}
