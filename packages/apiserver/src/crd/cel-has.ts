import type { ASTNode } from '@marcbachmann/cel-js';

/**
 * The same expression with `has(list[0].field)` written as a question to an optional field: the evaluator takes `has` of plain paths only,
 * while rules of published definitions look into lists with it.
 */
export function withoutIndexedHas(expression: string, ast: ASTNode): string {
  const calls = indexedHas(ast).toSorted((a, b) => b.call.range.start - a.call.range.start);
  return calls.reduce((text, { call, owner, field }) => {
    const { start, end } = owner.range;
    const question = `(${expression.slice(start, end)}).?${field}.hasValue()`;
    return text.slice(0, call.range.start) + question + text.slice(call.range.end);
  }, expression);
}

interface IndexedHas {
  readonly call: ASTNode;
  readonly owner: ASTNode;
  readonly field: string;
}

function indexedHas(node: ASTNode): readonly IndexedHas[] {
  const found = node.op === 'call' && node.args[0] === 'has' ? asked(node, node.args[1][0]) : [];
  return [...found, ...children(node.args).flatMap(indexedHas)];
}

function asked(call: ASTNode, argument: ASTNode | undefined): readonly IndexedHas[] {
  if (argument?.op !== '.') return [];
  const [owner, field] = argument.args;
  return isPlainPath(owner) ? [] : [{ call, owner, field }];
}

function isPlainPath(node: ASTNode): boolean {
  return node.op === 'id' || ((node.op === '.' || node.op === '.?') && isPlainPath(node.args[0]));
}

function children(args: unknown): readonly ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(children);
  return isNode(args) ? [args] : [];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value && 'range' in value;
}
