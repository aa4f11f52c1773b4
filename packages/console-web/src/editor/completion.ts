import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Text } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import { childOf, schemaAt, type SchemaNode, schemaOf, typeOf } from './schema.ts';
import { kindAt, positionAt, type YamlPosition } from './yaml-path.ts';

function linesOf(doc: Text): readonly string[] {
  return doc.toString().split('\n');
}

function positionIn(doc: Text, offset: number): { readonly at: YamlPosition; readonly kind: string } | undefined {
  const line = doc.lineAt(offset);
  const lines = linesOf(doc);
  const at = positionAt(lines, line.number - 1, offset - line.from);
  return at === undefined ? undefined : { at, kind: kindAt(lines, line.number - 1) };
}

/** Offers the fields of the schema that the mapping does not have yet, and the values of enums. */
export function completeYaml(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[\w./-]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const found = positionIn(context.state.doc, context.pos);
  if (found === undefined) return null;
  const { at, kind } = found;
  const schema = schemaOf(kind === '' ? 'RayJob' : kind);
  const parent = schemaAt(schema, at.path);
  const options = at.isValue ? valuesOf(childOf(parent, at.key)) : keysOf(parent, at);
  return options.length === 0 ? null : { from: word.from, options, validFor: /^[\w./-]*$/ };
}

function keysOf(parent: SchemaNode | undefined, { siblings }: YamlPosition): readonly Completion[] {
  const required = parent?.required ?? [];
  return Object.entries(parent?.properties ?? {})
    .filter(([name]) => !siblings.includes(name))
    .map(([name, node]) => ({
      label: name,
      detail: typeOf(node),
      type: 'property',
      boost: required.includes(name) ? 1 : 0,
      apply: node.type === 'object' || node.type === 'array' ? `${name}:` : `${name}: `,
      ...(node.description === undefined ? {} : { info: node.description }),
    }));
}

function valuesOf(node: SchemaNode | undefined): readonly Completion[] {
  const values = node?.enum ?? (node?.type === 'boolean' ? [true, false] : []);
  return values.map((value) => ({
    label: String(value),
    type: 'enum',
    ...(value === node?.default ? { detail: 'default' } : {}),
  }));
}

/** Shows what a field means, its type and its default. */
export const explainOnHover = hoverTooltip((view, offset) => {
  const found = positionIn(view.state.doc, offset);
  if (found === undefined || found.at.key === '' || found.at.isValue) return null;
  const { at, kind } = found;
  const node = childOf(schemaAt(schemaOf(kind), at.path), at.key);
  if (node === undefined) return null;
  const line = view.state.doc.lineAt(offset);
  const from = line.from + line.text.indexOf(at.key);
  return {
    pos: from,
    end: from + at.key.length,
    above: true,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'cm-explain';
      const title = document.createElement('b');
      title.textContent = [...at.path, at.key].join('.');
      const type = document.createElement('div');
      const fallback = node.default === undefined ? '' : ` · default ${JSON.stringify(node.default)}`;
      type.textContent = `${typeOf(node)}${fallback}`;
      const text = document.createElement('p');
      text.textContent = node.description ?? 'No description.';
      dom.append(title, type, text);
      return { dom };
    },
  };
});
