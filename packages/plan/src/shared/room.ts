import {
  addQuantities,
  type Amount,
  compareQuantities,
  multiplyQuantity,
  quantityOf,
  quantityMilliValue,
} from '@manta/api';
import { addAmounts, type Amounts, NO_AMOUNTS } from '../amounts.ts';

/** A node that takes pods. */
export interface NodeRoom {
  readonly name: string;
  readonly allocatable: Amounts;
}

/** The resource that a pod without room lacks, by the scheduler's message: `cpu`, `memory`, `nvidia.com/gpu`. */
export function lackingResource(message: string): string | undefined {
  return /Insufficient ([\w./-]*\w)/.exec(message)?.[1];
}

/** The node with the most of a resource. */
export function largestNode(nodes: readonly NodeRoom[], resource: string): NodeRoom | undefined {
  const of = ({ allocatable }: NodeRoom) => allocatable.get(resource) ?? ZERO;
  return nodes.toSorted((a, b) => compareQuantities(of(b), of(a)))[0];
}

/**
 * What a pod asks for and what there is: `asks for 64 CPUs; the largest node has 4, 1.5 free`. `onNode` are the requests of the pods on the
 * largest node; undefined if they may not be read.
 */
export function roomInWords(
  resource: string,
  asked: Amounts,
  node: NodeRoom | undefined,
  onNode: readonly Amounts[] | undefined,
): string {
  const wants = `asks for ${withUnit(resource, asked.get(resource) ?? ZERO)}`;
  if (node === undefined) return `${wants}; no node takes pods`;
  const total = node.allocatable.get(resource) ?? ZERO;
  const largest = `${wants}; the largest node has ${short(resource, total)}`;
  if (onNode === undefined) return largest;
  const used = onNode.reduce(addAmounts, NO_AMOUNTS).get(resource) ?? ZERO;
  const free = addQuantities(total, multiplyQuantity(used, -1));
  return `${largest}, ${short(resource, compareQuantities(free, ZERO) < 0 ? ZERO : free)} free`;
}

const ZERO = quantityOf(0);
const GIB = 2 ** 30;
const MIB = 2 ** 20;

function withUnit(resource: string, amount: Amount): string {
  const text = short(resource, amount);
  if (resource === 'cpu') return text === '1' ? '1 CPU' : `${text} CPUs`;
  return resource === 'memory' ? `${text} of memory` : `${text} ${resource}`;
}

function short(resource: string, amount: Amount): string {
  const value = Number(quantityMilliValue(amount)) / 1000;
  if (!resource.includes('memory') && !resource.includes('storage')) return decimals(value, 2);
  return value < GIB ? `${decimals(value / MIB, 0)}Mi` : `${decimals(value / GIB, 1)}Gi`;
}

function decimals(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
