import { ownValue } from '@manta/base';
import type { ASTNode } from '@marcbachmann/cel-js';
import { bool, type CelType, dyn, fieldType, isSameType, typeName } from './cel-types.ts';

/** Something wrong with an expression, and where. */
export interface Finding {
  readonly at: number;
  readonly text: string;
}

/** What an expression may refer to. */
export interface Names {
  readonly variables: ReadonlyMap<string, CelType>;
  /** Names of types and of other constants. */
  readonly isConstant: (name: string) => boolean;
  readonly isFunction: (name: string) => boolean;
}

/** What is known of an expression. */
export interface Inference {
  readonly type: CelType;
  readonly findings: readonly Finding[];
}

/**
 * Works out the type of an expression and what is wrong with it. It knows less than Kubernetes does: where it is not sure of a type it
 * takes anything, and leaves the complaint to the evaluation.
 */
export function inferType(ast: ASTNode, names: Names): Inference {
  const findings: Finding[] = [];
  const type = new Inferrer(names, findings).infer(ast, names.variables);
  return { type, findings: findings.toSorted((a, b) => a.at - b.at) };
}

type Variables = ReadonlyMap<string, CelType>;

/** The types that functions always return. */
const returns: Readonly<Record<string, CelType['kind'] & ('bool' | 'double' | 'int' | 'string')>> = {
  bool: 'bool',
  charAt: 'string',
  contains: 'bool',
  double: 'double',
  endsWith: 'bool',
  find: 'string',
  has: 'bool',
  indexOf: 'int',
  int: 'int',
  isCIDR: 'bool',
  isIP: 'bool',
  isQuantity: 'bool',
  isSorted: 'bool',
  isURL: 'bool',
  join: 'string',
  lowerAscii: 'string',
  matches: 'bool',
  replace: 'string',
  size: 'int',
  startsWith: 'bool',
  string: 'string',
  substring: 'string',
  trim: 'string',
  upperAscii: 'string',
};

const macros: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne', 'filter', 'map']);
const numbers: ReadonlySet<string> = new Set(['double', 'int', 'uint']);
const times: ReadonlySet<string> = new Set(['duration', 'timestamp']);

class Inferrer {
  readonly #names: Names;
  readonly #findings: Finding[];

  constructor(names: Names, findings: Finding[]) {
    this.#names = names;
    this.#findings = findings;
  }

  infer(node: ASTNode, variables: Variables): CelType {
    switch (node.op) {
      case 'value':
        return literalType(node.args);
      case 'id':
        return this.#identifier(node.args, node.start, variables);
      case '.':
        return this.#select(this.infer(node.args[0], variables), node.args[1], positionOf(node));
      case '.?':
        this.#select(this.infer(node.args[0], variables), node.args[1], positionOf(node));
        return dyn;
      case '[]':
        return this.#index(node.args[0], node.args[1], variables);
      case '[?]':
        this.#index(node.args[0], node.args[1], variables);
        return dyn;
      case 'call':
        return this.#call(node.args[0], node.args[1], positionOf(node), variables);
      case 'rcall':
        return this.#receiverCall(node.args, positionOf(node), variables);
      case 'list':
        return { kind: 'list', items: unify(node.args.map((item) => this.infer(item, variables))) };
      case 'map':
        return { kind: 'map', values: unify(node.args.map(([, value]) => this.infer(value, variables))) };
      case '?:':
        return this.#choice(node.args, positionOf(node), variables);
      case '&&':
      case '||':
        for (const operand of node.args) this.#expectBool(operand, variables);
        return bool;
      case '!_':
      case '-_':
        return this.#unary(node.op, this.infer(node.args, variables), node.start);
      default: {
        const [left, right] = node.args;
        return this.#binary(node.op, this.infer(left, variables), this.infer(right, variables), positionOf(node));
      }
    }
  }

  #complain(at: number, text: string): CelType {
    this.#findings.push({ at, text });
    return dyn;
  }

  #noOverload(at: number, operator: string, ...types: readonly CelType[]): CelType {
    const applied = types.map(typeName).join(', ');
    return this.#complain(at, `found no matching overload for '${operator}' applied to '(${applied})'`);
  }

  #identifier(name: string, at: number, variables: Variables): CelType {
    const type = variables.get(name);
    if (type !== undefined) return type;
    return this.#names.isConstant(name)
      ? dyn
      : this.#complain(at, `undeclared reference to '${name}' (in container '')`);
  }

  #select(target: CelType, name: string, at: number): CelType {
    if (target.kind === 'dyn') return dyn;
    if (target.kind === 'map') return target.values;
    if (target.kind === 'object') return fieldType(target, name) ?? this.#complain(at, `undefined field '${name}'`);
    return this.#complain(at, `type '${typeName(target)}' does not support field selection`);
  }

  #index(target: ASTNode, key: ASTNode, variables: Variables): CelType {
    const type = this.infer(target, variables);
    this.infer(key, variables);
    if (type.kind === 'list') return type.items;
    return type.kind === 'map' ? type.values : dyn;
  }

  #call(name: string, args: readonly ASTNode[], at: number, variables: Variables): CelType {
    const [first] = args;
    if (name === 'has' && first?.op === '.') {
      this.#select(this.infer(first.args[0], variables), first.args[1], at);
      return bool;
    }
    for (const each of args) this.infer(each, variables);
    return this.#named(name, at);
  }

  #named(name: string, at: number): CelType {
    if (!this.#names.isFunction(name)) return this.#complain(at, `undeclared reference to '${name}' (in container '')`);
    const kind = ownValue(returns, name);
    return kind === undefined ? dyn : { kind };
  }

  #receiverCall([name, receiver, args]: readonly [string, ASTNode, ASTNode[]], at: number, variables: Variables) {
    const isSpace = receiver.op === 'id' && !variables.has(receiver.args) && this.#names.isConstant(receiver.args);
    const type = this.infer(receiver, variables);
    if (macros.has(name) && args.length > 1 && args[0]?.op === 'id') return this.#macro(name, type, args, variables);
    for (const each of args) this.infer(each, variables);
    return isSpace ? dyn : this.#named(name, at);
  }

  /** A walk over a list or the keys of a map: the first arguments name what is walked over. */
  #macro(name: string, over: CelType, args: readonly ASTNode[], variables: Variables): CelType {
    const item: CelType = over.kind === 'list' ? over.items : over.kind === 'map' ? { kind: 'string' } : dyn;
    const [first, second] = args;
    const hasTwo = args.length === 3 && second?.op === 'id' && !variables.has(second.args);
    const declared = new Map(variables);
    if (first?.op === 'id') declared.set(first.args, hasTwo ? dyn : item);
    if (hasTwo) declared.set(second.args, dyn);
    const bodies = args.slice(hasTwo ? 2 : 1).map((body) => this.infer(body, declared));
    if (name === 'filter') return over;
    return name === 'map' ? { kind: 'list', items: bodies.at(-1) ?? dyn } : bool;
  }

  #choice([condition, yes, no]: readonly [ASTNode, ASTNode, ASTNode], at: number, variables: Variables): CelType {
    const types = [condition, yes, no].map((each) => this.infer(each, variables));
    const [asked = dyn, left = dyn, right = dyn] = types;
    if (!isSameType(asked, bool) || !isSameType(left, right)) return this.#noOverload(at, '_?_:_', ...types);
    return left.kind === 'dyn' ? right : left;
  }

  #expectBool(operand: ASTNode, variables: Variables): void {
    const type = this.infer(operand, variables);
    if (isSameType(type, bool)) return;
    this.#complain(positionOf(operand), `expected type 'bool' but found '${typeName(type)}'`);
  }

  #unary(operator: '!_' | '-_', type: CelType, at: number): CelType {
    const isFine = operator === '!_' ? isSameType(type, bool) : type.kind === 'dyn' || numbers.has(type.kind);
    return isFine ? type : this.#noOverload(at, operator, type);
  }

  #binary(operator: string, left: CelType, right: CelType, at: number): CelType {
    const kinds = [left.kind, right.kind];
    switch (operator) {
      case '==':
      case '!=':
        return isSameType(left, right) ? bool : this.#noOverload(at, `_${operator}_`, left, right);
      case 'in': {
        const items: CelType = right.kind === 'list' ? right.items : right.kind === 'map' ? { kind: 'string' } : dyn;
        return isSameType(left, items) ? bool : this.#noOverload(at, '@in', left, right);
      }
      case '<':
      case '<=':
      case '>':
      case '>=': {
        const isFine = isSameType(left, right) || kinds.every((kind) => numbers.has(kind));
        return isFine ? bool : this.#noOverload(at, `_${operator}_`, left, right);
      }
      default:
        if (kinds.some((kind) => kind === 'dyn' || times.has(kind))) return dyn;
        return isSameType(left, right) ? left : this.#noOverload(at, `_${operator}_`, left, right);
    }
  }
}

function literalType(value: unknown): CelType {
  if (value === null) return { kind: 'null' };
  if (value instanceof Uint8Array) return { kind: 'bytes' };
  switch (typeof value) {
    case 'bigint':
      return { kind: 'int' };
    case 'number':
      return { kind: 'double' };
    case 'string':
      return { kind: 'string' };
    case 'boolean':
      return bool;
    default:
      return dyn;
  }
}

function unify([first, ...rest]: readonly CelType[]): CelType {
  return first !== undefined && rest.every((type) => isSameType(type, first)) ? first : dyn;
}

/** Where messages say that an expression is: at its dot, its operator or its opening bracket. */
function positionOf(node: ASTNode): number {
  const after = (mark: string, from: number) => Math.max(node.input.indexOf(mark, from), node.start);
  switch (node.op) {
    case 'value':
    case 'id':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return node.start;
    case '.?':
      return after('.', node.args[0].end);
    case '[?]':
      return after('[', node.args[0].end);
    case '[]':
      return after('[', node.args[0].end);
    case 'call':
      return after('(', node.start);
    case 'rcall':
      return after('(', after(node.args[0], node.args[1].end));
    case '?:':
      return after('?', node.args[0].end);
    default:
      return after(node.op, node.args[0].end);
  }
}
