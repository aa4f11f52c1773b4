import { ParseError, type ParseResult } from '@marcbachmann/cel-js';
import { createCelEnvironment } from './cel-environment.ts';
import type { CelType } from './cel-types.ts';
import { type Finding, type Inference, inferType, type Names } from './infer-type.ts';

/** A problem with an expression, as the compiler of rules writes it; or the type of its value. */
export type Checked = { readonly problem: string } | { readonly problem?: never; readonly type: CelType };

const environment = createCelEnvironment();

/** Functions that cannot be evaluated here. CRDs with such rules are accepted; objects get an error. */
const unevaluated =
  'optMap optFlatMap transformList transformMap transformMapEntry existsOne format named validate semver isSemver major minor patch ' +
  'masked isCanonical containsAny equivalent intersects isInteger asInteger asApproximateFloat sign add sub lastIndexOf';
/** What rules are about is declared by type; variables of their own they cannot have. */
const subjects: ReadonlySet<string> = new Set(['self', 'oldSelf', 'cel']);
const spaces: ReadonlySet<string> = new Set(['format', 'ip', 'sets']);
const functions: ReadonlySet<string> = new Set([
  ...environment.getDefinitions().functions.flatMap(({ name }) => (name === 'bind' ? [] : [name])),
  ...unevaluated.split(' '),
]);

/** Checks an expression before there is a value to evaluate it with. */
export function checkExpression(expression: string, variables: Names['variables']): Checked {
  const parsed = parse(expression);
  const { type, findings } =
    'findings' in parsed
      ? parsed
      : inferType(parsed.ast, {
          variables,
          isConstant: (name) => spaces.has(name) || (environment.hasVariable(name) && !subjects.has(name)),
          isFunction: (name) => functions.has(name),
        });
  if (findings.length === 0) return { type };
  return { problem: findings.map((finding) => show(expression, finding)).join('\n') };
}

function parse(expression: string): ParseResult | Inference {
  try {
    return environment.parse(expression);
  } catch (error) {
    const said = error instanceof ParseError ? error.summary : String(error);
    const at = error instanceof ParseError ? (error.range?.start ?? 0) : 0;
    return { type: { kind: 'dyn' }, findings: [{ at, text: `Syntax error: ${said}` }] };
  }
}

/** The line with a pointer below it. */
function show(expression: string, { at, text }: Finding): string {
  const before = expression.slice(0, at).split('\n');
  const column = (before.at(-1) ?? '').length;
  const line = expression.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${text}\n | ${line}\n | ${'.'.repeat(column)}^`;
}
