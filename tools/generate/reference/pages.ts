import type { CustomResourceColumnDefinition } from '../../../packages/api/src/core.gen.ts';
import type { Schema } from '../../../packages/api/src/schema/dsl.ts';
import { rayCluster, rayClusterColumns } from '../../../packages/api/src/schema/raycluster.ts';
import { rayCronJob, rayCronJobColumns } from '../../../packages/api/src/schema/raycronjob.ts';
import { rayJob, rayJobColumns } from '../../../packages/api/src/schema/rayjob.ts';
import { rayService, rayServiceColumns } from '../../../packages/api/src/schema/rayservice.ts';
import { conditionsPage } from './conditions.ts';
import { environmentPage } from './environment.ts';
import { eventsPage } from './events.ts';
import { type FieldRow, fieldRows, type LinkedSchema } from './field-table.ts';
import { flagsPage } from './flags.ts';
import { metadataPage } from './metadata.ts';
import { metricsPage } from './metrics.ts';

interface Kind {
  readonly name: string;
  readonly schema: Schema;
  readonly columns: readonly CustomResourceColumnDefinition[];
}

const KINDS: readonly Kind[] = [
  { name: 'RayCluster', schema: rayCluster, columns: rayClusterColumns },
  { name: 'RayJob', schema: rayJob, columns: rayJobColumns },
  { name: 'RayService', schema: rayService, columns: rayServiceColumns },
  { name: 'RayCronJob', schema: rayCronJob, columns: rayCronJobColumns },
];

/** The pages of all kinds: file name under docs/reference → text. */
export function kindPages(): ReadonlyMap<string, string> {
  return new Map(KINDS.map((kind) => [`${kind.name.toLowerCase()}.md`, page(kind)]));
}

/** All generated reference pages: file name under docs/reference → text. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ...kindPages(),
    ['flags.md', flagsPage()],
    ['environment.md', environmentPage()],
    ['labels-and-annotations.md', metadataPage()],
    ['events.md', eventsPage()],
    ['conditions.md', conditionsPage()],
    ['metrics.md', metricsPage()],
  ]);
}

function page({ name, schema, columns }: Kind): string {
  const { spec = {}, status = {} } = schema.properties ?? {};
  return [
    `# ${name} (ray.io/v1)`,
    `${schema.description ?? ''} Generated from \`packages/api/src/schema\` by \`npm run reference\`; do not edit.`,
    '`[]` marks the entries of a list, `<name>` a key that the user chooses. A capitalised type is a type of Kubernetes: `kubectl explain` describes its fields.',
    '## spec',
    table(fieldRows(spec, linkedFrom(name))),
    '## status',
    table(fieldRows(status, linkedFrom(name))),
    '## Columns of `kubectl get`',
    columnTable(columns),
    '',
  ].join('\n\n');
}

/** What other kinds embed and this page therefore links to. */
function linkedFrom(name: string): readonly LinkedSchema[] {
  return KINDS.filter((other) => other.name !== name).flatMap((other) => {
    const file = `${other.name.toLowerCase()}.md`;
    const { spec, status } = other.schema.properties ?? {};
    return [
      ...(spec === undefined ? [] : [{ schema: spec, link: `[${other.name} spec](${file}#spec)` }]),
      ...(status === undefined ? [] : [{ schema: status, link: `[${other.name} status](${file}#status)` }]),
    ];
  });
}

function table(rows: readonly FieldRow[]): string {
  const lines = rows.map(({ path, type, isRequired, defaultValue, description }) => {
    const shown = isRequired ? `**Required.** ${description}` : description;
    return `| \`${path}\` | ${type} | ${defaultValue} | ${shown.replaceAll('|', '\\|')} |`;
  });
  return ['| Field | Type | Default | Description |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

function columnTable(columns: readonly CustomResourceColumnDefinition[]): string {
  const lines = columns.map(
    ({ name, jsonPath, priority = 0 }) =>
      `| ${name.toUpperCase()} | \`${jsonPath}\` | ${priority > 0 ? 'only with `-o wide`' : 'always'} |`,
  );
  return ['| Column | Field | Shown |', '| --- | --- | --- |', ...lines].join('\n');
}
