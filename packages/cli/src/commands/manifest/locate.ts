import { type Document, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair } from 'yaml';

/** A place in a file, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * The place of a field in a YAML document: that of its key, or of the nearest part above it that exists. Paths are written like
 * `spec.workerGroupSpecs[0].replicas` and `metadata.annotations[ray.io/x]`; keys with dots are found as well.
 */
export function locate(document: Document, lines: LineCounter, path: string): Place {
  const offset = offsetOf(document.contents, path) ?? startOf(document.contents) ?? document.range?.[0] ?? 0;
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** The offset of a field below a node; undefined when its first step does not exist. */
function offsetOf(node: unknown, path: string): number | undefined {
  const rest = path.startsWith('.') ? path.slice(1) : path;
  if (rest === '') return undefined;
  if (isSeq(node)) {
    const [whole, index] = /^\[(\d+)\]/.exec(rest) ?? [];
    const item = index === undefined ? undefined : node.items[Number(index)];
    if (whole === undefined || item === undefined) return undefined;
    return offsetOf(item, rest.slice(whole.length)) ?? startOf(item);
  }
  if (!isMap(node)) return undefined;
  const step = longestStep(node.items, rest);
  if (step === undefined) return undefined;
  return offsetOf(step.pair.value, rest.slice(step.length)) ?? startOf(step.pair.key);
}

/** The entry whose key the path begins with; of several, the longest, because keys may hold dots. */
function longestStep(
  pairs: readonly Pair[],
  path: string,
): { readonly pair: Pair; readonly length: number } | undefined {
  let best: { readonly pair: Pair; readonly length: number } | undefined;
  for (const pair of pairs) {
    const key = isScalar(pair.key) ? String(pair.key.value) : '';
    for (const written of [key, `[${key}]`]) {
      const isStep = path.startsWith(written) && /^(?:$|[.[])/.test(path.slice(written.length));
      if (key !== '' && isStep && written.length > (best?.length ?? 0)) best = { pair, length: written.length };
    }
  }
  return best;
}

function startOf(node: unknown): number | undefined {
  return hasRange(node) ? (node.range?.[0] ?? undefined) : undefined;
}

function hasRange(node: unknown): node is Pick<Node, 'range'> {
  return typeof node === 'object' && node !== null && 'range' in node;
}
