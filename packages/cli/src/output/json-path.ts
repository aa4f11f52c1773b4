import { usageError } from '../cli-error.ts';

/** A part of a kubectl JSONPath template. */
type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  | { readonly kind: 'range'; readonly steps: readonly Step[]; readonly body: readonly Part[] };

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'all' }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'filter'; readonly steps: readonly Step[]; readonly equals: string | undefined };

/** Evaluates `{.items[*].metadata.name}` and its like on a value; several results are separated by spaces, as kubectl does. */
export function evaluateJsonPath(template: string, value: unknown): string {
  const parts = parseTemplate(template.startsWith('{') || template.includes('{') ? template : `{${template}}`);
  return render(parts, value);
}

function render(parts: readonly Part[], value: unknown): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      const found = follow(part.steps, [value]);
      if (part.kind === 'path') return found.map(show).join(' ');
      return found.map((item) => render(part.body, item)).join('');
    })
    .join('');
}

function show(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

function follow(steps: readonly Step[], values: readonly unknown[]): readonly unknown[] {
  return steps.reduce<readonly unknown[]>((found, step) => found.flatMap((value) => take(step, value)), values);
}

function take(step: Step, value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  switch (step.kind) {
    case 'field':
      return Object.hasOwn(value, step.name) ? [Reflect.get(value, step.name)] : [];
    case 'all':
      return Object.values(value);
    case 'index':
      return Array.isArray(value) && value.length > 0 ? value.slice(step.index).slice(0, 1) : [];
    case 'filter':
      return Object.values(value).filter((item: unknown) => {
        const [found] = follow(step.steps, [item]);
        return step.equals === undefined ? found !== undefined : show(found) === step.equals;
      });
  }
}

function parseTemplate(template: string): readonly Part[] {
  const stack: { readonly steps: readonly Step[]; readonly body: Part[] }[] = [{ steps: [], body: [] }];
  const top = () => stack.at(-1)?.body ?? [];
  for (const token of template.match(/\{[^}]*\}?|[^{]+/g) ?? []) {
    if (token.startsWith('{') && !token.endsWith('}')) throw wrong(template, `"${token}" has no closing brace`);
    if (!token.startsWith('{')) {
      top().push({ kind: 'text', text: token });
      continue;
    }
    const inner = token.slice(1, -1).trim();
    if (inner === 'end') {
      const closed = stack.pop();
      if (closed === undefined || stack.length === 0) throw wrong(template, '{end} without {range}');
      top().push({ kind: 'range', ...closed });
    } else if (inner.startsWith('range ')) stack.push({ steps: parseSteps(inner.slice(6).trim(), template), body: [] });
    else if (/^["'].*["']$/.test(inner)) top().push({ kind: 'text', text: unquote(inner) });
    else top().push({ kind: 'path', steps: parseSteps(inner, template) });
  }
  if (stack.length > 1) throw wrong(template, '{range} without {end}');
  return top();
}

const STEP =
  /^(?:\.?\[\?\(@((?:\.[\w-]+)+)(?:\s*==\s*["']?([^"')]*)["']?)?\)\]|\.?\[(-?\d+)\]|\.?\[['"]([^'"]+)['"]\]|(\.?\[\*\]|\.\*)|\.((?:\\.|[^.[\]\s\\])+))/;

function parseSteps(path: string, template: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = path.replace(/^[$@]/, '');
  while (rest !== '' && rest !== '.') {
    const match = STEP.exec(rest);
    if (match === null) throw wrong(template, `cannot read "${rest}"`);
    const [whole, filter, equals, index, quoted, all, name] = match;
    if (filter !== undefined) steps.push({ kind: 'filter', steps: parseSteps(filter, template), equals });
    else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) });
    else if (all !== undefined) steps.push({ kind: 'all' });
    else steps.push({ kind: 'field', name: quoted ?? (name ?? '').replaceAll('\\', '') });
    rest = rest.slice(whole.length);
  }
  return steps;
}

function unquote(text: string): string {
  return text.slice(1, -1).replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\t`, '\t');
}

function wrong(template: string, problem: string): Error {
  return usageError(`-o jsonpath: ${problem} in ${template}. Use e.g. -o jsonpath='{.items[*].metadata.name}'.`);
}
