import { ownValue } from '@manta/base';
import { isObject, type Json } from '../object/json.ts';

/** Reads all values that a path leads to. */
export type ReadPath = (value: Json) => readonly Json[];

/**
 * Compiles a JSON path as printer columns and selectable fields write it: `.a.b`, `['a.b']`, `.a\.b/c`, `[0]`, `[-1]`, `[*]`,
 * `[?(@.type=="Ready")]`. Undefined where it is none of these.
 */
export function compileJsonPath(path: string): ReadPath | undefined {
  const steps: ReadPath[] = [];
  const token =
    /\.((?:\\.|[^.[\]\\])+)|\['((?:\\.|[^'\\])*)'\]|\["((?:\\.|[^"\\])*)"\]|\[(-?\d+)\]|(\[\*\]|\.\*)|\[\?\(@((?:"[^"]*"|'[^']*'|[^)])*)\)\]/gy;
  let end = 0;
  for (let match = token.exec(path); match !== null; match = token.exec(path)) {
    end = token.lastIndex;
    const step = stepOf(match);
    if (step === undefined) return undefined;
    steps.push(step);
  }
  if (end !== path.length) return undefined;
  return (value) => steps.reduce<readonly Json[]>((found, step) => found.flatMap(step), [value]);
}

function stepOf([, dotted, single, double, index, every, filter]: RegExpExecArray): ReadPath | undefined {
  const name = dotted ?? single ?? double;
  if (every !== undefined || name === '*') return children;
  if (name !== undefined) return field(name.replaceAll(/\\(.)/g, '$1'));
  if (index !== undefined) return item(Number(index));
  return filter === undefined ? undefined : matching(filter);
}

function field(name: string): ReadPath {
  return (value) => {
    const child = isObject(value) ? ownValue(value, name) : undefined;
    return child === undefined ? [] : [child];
  };
}

function item(index: number): ReadPath {
  return (value) => {
    const child = Array.isArray(value) ? value.at(index) : undefined;
    return child === undefined ? [] : [child];
  };
}

function children(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function matching(filter: string): ReadPath | undefined {
  const [, path = '', operator, literal = ''] = /^\s*(.+?)\s*(?:(==|!=)\s*(.+?))?\s*$/.exec(filter) ?? [];
  const read = compileJsonPath(path);
  if (read === undefined) return undefined;
  const wanted = literalOf(literal);
  const isWanted = (value: Json): boolean => {
    const found = read(value);
    if (operator === undefined) return found.length > 0;
    return found.length > 0 && (found[0] === wanted) === (operator === '==');
  };
  return (value) => (Array.isArray(value) ? value.filter(isWanted) : []);
}

function literalOf(text: string): Json {
  const [, quoted] = /^["'](.*)["']$/s.exec(text) ?? [];
  if (quoted !== undefined) return quoted;
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}
