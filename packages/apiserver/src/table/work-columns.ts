import { humanDuration } from '@manta/api';
import type { JsonObject } from '../object/json.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import type { CellContext, PrinterColumn } from '../registry/printer-column.ts';
import { AGE, ageOf, column, field, NONE, numberAt, objectsAt, selectorText, wide } from './column.ts';

/** The columns of jobs. */
export const JOB_COLUMNS: readonly PrinterColumn[] = [
  column('Status', jobStatus),
  column('Completions', completions),
  column('Duration', duration),
  AGE,
  wide('Containers', (job) => names(job, 'name')),
  wide('Images', (job) => names(job, 'image')),
  wide('Selector', (job) => selectorText(valueAt(job, 'spec.selector'))),
];

function names(job: JsonObject, key: string): string {
  return objectsAt(job, 'spec.template.spec.containers')
    .map((each) => textAt(each, key))
    .join(',');
}

function jobStatus(job: JsonObject): string {
  const is = (wanted: string) =>
    objectsAt(job, 'status.conditions').some(({ type, status }) => type === wanted && status === 'True');
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (valueAt(job, 'metadata.deletionTimestamp') !== undefined) return 'Terminating';
  if (is('Suspended')) return 'Suspended';
  if (is('FailureTarget')) return 'FailureTarget';
  return is('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function completions(job: JsonObject): string {
  const done = numberAt(job, 'status.succeeded');
  const wanted = valueAt(job, 'spec.completions');
  if (typeof wanted === 'number') return `${done}/${wanted}`;
  const parallel = numberAt(job, 'spec.parallelism');
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`;
}

function duration(job: JsonObject, context: CellContext): string {
  const start = textAt(job, 'status.startTime');
  if (start === '') return '';
  const end = textAt(job, 'status.completionTime');
  return end === '' ? ageOf(start, context) : humanDuration(Date.parse(end) - Date.parse(start));
}

/** The columns of disruption budgets. */
export const BUDGET_COLUMNS: readonly PrinterColumn[] = [
  column('Min Available', (budget) => numberOrText(budget, 'spec.minAvailable')),
  column('Max Unavailable', (budget) => numberOrText(budget, 'spec.maxUnavailable')),
  column('Allowed Disruptions', (budget) => numberAt(budget, 'status.disruptionsAllowed'), 'integer'),
  AGE,
];

function numberOrText(object: JsonObject, path: string): string {
  const value = valueAt(object, path);
  return typeof value === 'number' || typeof value === 'string' ? String(value) : 'N/A';
}

/** The columns of events, where the name comes last. */
export const EVENT_COLUMNS: readonly PrinterColumn[] = [
  column('Last Seen', (event, context) => ageOf(lastSeen(event), context)),
  field('Type', 'type'),
  field('Reason', 'reason'),
  column('Object', (event) => objectText(event)),
  wide('Subobject', (event) => textAt(event, 'involvedObject.fieldPath') || textAt(event, 'regarding.fieldPath')),
  wide('Source', source),
  column('Message', (event) => (textAt(event, 'message') || textAt(event, 'note')).trim()),
  wide('First Seen', (event, context) => ageOf(firstSeen(event), context)),
  wide('Count', eventCount),
  { ...wide('Name', (event) => textAt(event, 'metadata.name')), format: 'name' },
];

function eventCount(event: JsonObject): number {
  const counts = ['series.count', 'count', 'deprecatedCount'].map((path) => numberAt(event, path));
  return counts.find((count) => count > 0) ?? 1;
}

function lastSeen(event: JsonObject): string {
  return (
    textAt(event, 'series.lastObservedTime') ||
    textAt(event, 'lastTimestamp') ||
    textAt(event, 'deprecatedLastTimestamp') ||
    firstSeen(event)
  );
}

function firstSeen(event: JsonObject): string {
  return textAt(event, 'firstTimestamp') || textAt(event, 'deprecatedFirstTimestamp') || textAt(event, 'eventTime');
}

function objectText(event: JsonObject): string {
  const root = valueAt(event, 'regarding') === undefined ? 'involvedObject' : 'regarding';
  const kind = textAt(event, `${root}.kind`).toLowerCase();
  const name = textAt(event, `${root}.name`);
  return name === '' ? kind : `${kind}/${name}`;
}

function source(event: JsonObject): string {
  const parts = [
    textAt(event, 'source.component') || textAt(event, 'reportingComponent') || textAt(event, 'reportingController'),
    textAt(event, 'source.host') || textAt(event, 'reportingInstance'),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** The columns of leases. */
export const LEASE_COLUMNS: readonly PrinterColumn[] = [field('Holder', 'spec.holderIdentity'), AGE];

/** The columns of pod templates. */
export const POD_TEMPLATE_COLUMNS: readonly PrinterColumn[] = [
  column('Containers', (template) =>
    objectsAt(template, 'template.spec.containers')
      .map((each) => textAt(each, 'name'))
      .join(','),
  ),
  column('Images', (template) =>
    objectsAt(template, 'template.spec.containers')
      .map((each) => textAt(each, 'image'))
      .join(','),
  ),
  column(
    'Pod Labels',
    (template) => selectorText({ matchLabels: valueAt(template, 'template.metadata.labels') ?? {} }) || NONE,
  ),
];
