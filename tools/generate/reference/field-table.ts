import type { Schema } from '../../../packages/api/src/schema/dsl.ts';
import { kubernetesType } from './kubernetes-types.ts';

/** One row of a reference table. */
export interface FieldRow {
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly defaultValue: string;
  readonly description: string;
}

/** A schema that has its own page; fields of this schema are linked instead of repeated. */
export interface LinkedSchema {
  readonly schema: Schema;
  readonly link: string;
}

/** Every field below `schema`, depth first, in the order of the source. Kubernetes' own types and linked schemas are not expanded. */
export function fieldRows(schema: Schema, linked: readonly LinkedSchema[], prefix = ''): readonly FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const { suffix, element } = elementOf(field);
    const link = linked.find((other) => other.schema.properties === element.properties)?.link;
    const isLeaf = element.properties === undefined || kubernetesType(element) !== undefined;
    const row: FieldRow = {
      path,
      type: link ?? typeName(field),
      isRequired: schema.required?.includes(name) === true && field.default === undefined,
      defaultValue: field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``,
      description: [field.description ?? '', ...facets(field)].filter((part) => part !== '').join(' '),
    };
    return [row, ...(isLeaf || link !== undefined ? [] : fieldRows(element, linked, `${path}${suffix}`))];
  });
}

/** A list's or a map's element, with the notation that leads to it: `[]` or `.<name>`. */
function elementOf(field: Schema): { readonly suffix: string; readonly element: Schema } {
  const { items, additionalProperties } = field;
  if (isSchema(items)) return { suffix: '[]', element: items };
  if (isSchema(additionalProperties)) return { suffix: '.<name>', element: additionalProperties };
  return { suffix: '', element: field };
}

function typeName(field: Schema): string {
  const { suffix, element } = elementOf(field);
  const name = kubernetesType(element) ?? scalarName(element);
  if (suffix === '[]') return `list of ${name}`;
  return suffix === '' ? name : `map of ${name}`;
}

function scalarName(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'quantity';
  if (schema.format === 'date-time') return 'time';
  return schema.type ?? 'object';
}

function facets({ enum: values, minimum, maximum, minItems }: Schema): readonly string[] {
  return [
    values === undefined ? '' : `One of ${values.map((value) => `\`${String(value)}\``).join(', ')}.`,
    minimum === undefined ? '' : `At least ${minimum}.`,
    maximum === undefined ? '' : `At most ${maximum}.`,
    minItems === undefined ? '' : `At least ${minItems} entry.`,
  ];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
