import type { Environment, ParseResult } from '@marcbachmann/cel-js';
import { sizeOfValue } from './cel-size.ts';
import { patternSteps, testPattern } from './pattern.ts';

/** An evaluation cost more than it may. */
export class CelCostError extends Error {
  override readonly name = 'CelCostError';
}

/** A step of a regular expression costs this share of a step of CEL. */
const PATTERN_SHARE = 0.1;
/** An error costs as much as this many nodes: quantifiers collect those of all items. */
const ERROR_COST = 50;
/** Reading a long text or list costs this much for each character or item. */
const READING_SHARE = 0.01;

/** The parts of cel-js's evaluator and syntax tree that are used here; the library exports neither. */
interface Evaluator {
  run(node: Node, context: unknown): unknown;
}
interface Node {
  readonly op: string;
  readonly args: unknown;
  evaluate(evaluator: Evaluator, node: Node, context: unknown): unknown;
}

/**
 * Counts what evaluations in one CEL environment cost and ends those that cost too much: one unit for each node of the syntax tree that is
 * evaluated, more for long texts, comparisons of large values and regular expressions. Regular expressions are matched in linear time.
 */
export class CelMeter {
  readonly #environment: Environment;
  #left = Number.POSITIVE_INFINITY;
  #isComparing = false;
  /** Thrown for every node after the limit: one for all, since each would record a stack. */
  #spent: CelCostError | undefined;

  /** The environment must not be used but through this meter. */
  constructor(environment: Environment) {
    this.#environment = environment;
    this.#observe();
  }

  /** Parses an expression without compiling it. Throws where it is no CEL. */
  parse(expression: string): ParseResult {
    return this.#environment.parse(expression);
  }

  /** Compiles an expression; the result must be called by `run`. Throws where it is no CEL. */
  compile(expression: string): (context: Readonly<Record<string, unknown>>) => unknown {
    // The library evaluates only the nodes below the root through the evaluator: wrapping the root makes all of them such nodes.
    const program = this.#environment.parse(`[\n${expression}\n][0]`);
    return (context) => program({ ...context });
  }

  /** The result of `evaluate` and what it cost; throws a CelCostError where that is more than `limit`. */
  run<T>(limit: number, evaluate: () => T): { readonly value: T; readonly cost: number } {
    this.#left = limit;
    this.#isComparing = false;
    try {
      const value = evaluate();
      // CEL's quantifiers swallow errors of their parts, this one too.
      if (this.#left < 0) throw tooExpensive();
      return { value, cost: limit - this.#left };
    } catch (error) {
      throw this.#left < 0 ? tooExpensive() : error;
    } finally {
      this.#left = Number.POSITIVE_INFINITY;
      this.#spent = undefined;
    }
  }

  /** Adds to the cost of the evaluation that is under way. */
  charge(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw (this.#spent ??= tooExpensive());
  }

  /** Whether a text matches a pattern anywhere; throws where that is no pattern. */
  matches(text: string, pattern: string): boolean {
    this.chargePattern(text, pattern);
    return testPattern(pattern, text);
  }

  /** Charges for one search with a pattern. */
  chargePattern(text: string, pattern: string): void {
    this.charge(patternSteps(pattern, text) * PATTERN_SHARE);
  }

  /** cel-js calls functions with its evaluator as `this`, and evaluates every node below the root by its method `run`. */
  #observe(): void {
    let found: unknown;
    this.#environment.registerFunction('evaluator(): bool', function (this: unknown) {
      // oxlint-disable-next-line typescript/no-this-alias -- the library hands the evaluator over in no other way
      found = this;
      return true;
    });
    this.#environment.evaluate('evaluator()');
    if (!isEvaluator(found)) throw new Error('this version of cel-js cannot be metered: functions get no evaluator');
    const evaluator = found;
    evaluator.run = (node, context) => this.#evaluate(evaluator, node, context);
  }

  #evaluate(evaluator: Evaluator, node: Node, context: unknown): unknown {
    this.charge(1);
    const isOperand = this.#isComparing;
    this.#isComparing = node.op === '==' || node.op === '!=' || node.op === 'in';
    let value: unknown;
    try {
      value = this.#valueOf(evaluator, node, context);
    } catch (error) {
      this.#left -= ERROR_COST;
      throw error;
    } finally {
      this.#isComparing = isOperand;
    }
    this.charge(isOperand ? sizeOfValue(value) : readingCost(value));
    return value;
  }

  /** The library's own `matches` takes exponential time for some patterns, and cannot be replaced. */
  #valueOf(evaluator: Evaluator, node: Node, context: unknown): unknown {
    const call = node.op === 'rcall' ? matchesCall(node.args) : undefined;
    if (call === undefined) return node.evaluate(evaluator, node, context);
    const text = evaluator.run(call.text, context);
    const pattern = evaluator.run(call.pattern, context);
    if (typeof text === 'string' && typeof pattern === 'string') return this.matches(text, pattern);
    return node.evaluate(evaluator, node, context);
  }
}

function tooExpensive(): CelCostError {
  return new CelCostError('operation cancelled: actual cost limit exceeded');
}

function readingCost(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length * READING_SHARE : 0;
}

/** The operands of `text.matches(pattern)`. */
function matchesCall(args: unknown): { readonly text: Node; readonly pattern: Node } | undefined {
  if (!Array.isArray(args) || args[0] !== 'matches' || !Array.isArray(args[2]) || args[2].length !== 1)
    return undefined;
  const [text, pattern]: unknown[] = [args[1], args[2][0]];
  return isNode(text) && isNode(pattern) ? { text, pattern } : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'op' in value && 'evaluate' in value;
}

function isEvaluator(value: unknown): value is Evaluator {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}
