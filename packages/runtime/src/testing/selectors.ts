import type { KubeObject } from '@manta/api';

/** True when an object matches a label selector (`a=b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, joined by commas). */
export function matchesLabels(object: KubeObject, selector: string | undefined): boolean {
  const labels = object.metadata?.labels ?? {};
  const terms = selector?.match(/(?:[^,(]|\([^)]*\))+/g) ?? [];
  return terms.every((term) => matchesTerm(labels, term.trim()));
}

/** True when an object matches a field selector (`metadata.name=x`, `spec.nodeName!=y`, joined by commas). */
export function matchesFields(object: KubeObject, selector: string | undefined): boolean {
  if (selector === undefined || selector === '') return true;
  return selector.split(',').every((term) => {
    const [, path = '', operator = '', wanted = ''] = /^([^!=]+)(!=|==?)(.*)$/.exec(term) ?? [];
    const isEqual = fieldAt(object, path.split('.')) === wanted;
    return operator === '!=' ? !isEqual : isEqual;
  });
}

function matchesTerm(labels: Readonly<Record<string, string>>, term: string): boolean {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(term);
  if (set !== null) {
    const [, name = '', operator, list = ''] = set;
    const isIn = list.split(',').some((value) => value.trim() === labels[name]);
    return operator === 'in' ? isIn : !isIn;
  }
  const equality = /^([^!=]+)(!=|==?)(.*)$/.exec(term);
  if (equality !== null) {
    const [, name = '', operator, value] = equality;
    return operator === '!=' ? labels[name.trim()] !== value : labels[name.trim()] === value;
  }
  return term.startsWith('!') ? labels[term.slice(1)] === undefined : labels[term] !== undefined;
}

function fieldAt(value: unknown, path: readonly string[]): string {
  let at = value;
  for (const part of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined;
  return typeof at === 'string' ? at : at === undefined ? '' : JSON.stringify(at);
}
