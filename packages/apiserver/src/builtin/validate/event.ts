import { ownValue } from '@manta/base';
import { deepEqual } from '../../object/deep-equal.ts';
import { invalid, required } from '../../field/cause.ts';
import { checkQualifiedName, checkSubdomainName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { metaOf, number, part, text } from '../read.ts';
import { type Causes, checkValue } from './check.ts';

/** How the two groups name the same fields. */
interface Names {
  readonly object: string;
  readonly controller: string;
}

const core: Names = { object: 'involvedObject', controller: 'reportingComponent' };
const group: Names = { object: 'regarding', controller: 'reportingController' };

/** Checks an event of the core group. */
export function checkCoreEvent(object: JsonObject): Causes {
  return legacyCauses(object, core);
}

function legacyCauses(object: JsonObject, names: Names): Causes {
  const namespace = text(metaOf(object), 'namespace');
  const about = text(part(object, names.object), 'namespace');
  const hasTime = typeof object['eventTime'] === 'string';
  const places = hasTime ? ['default', 'kube-system'] : ['', 'default'];
  const isAstray = about === '' ? !places.includes(namespace) : !hasTime && about !== namespace;
  return [
    ...(isAstray ? [invalid('involvedObject.namespace', about, 'does not match event.namespace')] : []),
    ...(hasTime ? newFieldCauses(object, names) : []),
    ...checkValue(namespace, 'namespace', checkSubdomainName),
  ];
}

function newFieldCauses(object: JsonObject, { controller }: Names): Causes {
  const name = text(object, controller);
  const missing = (key: string) => (text(object, key) === '' ? [required(key)] : []);
  const limit = (key: string, shown: string, max: number) =>
    text(object, key).length > max ? [invalid(shown, '', `can have at most ${max} characters`)] : [];
  return [
    ...missing(controller),
    ...checkValue(name, controller, checkQualifiedName),
    ...missing('reportingInstance'),
    ...limit('reportingInstance', 'reportingInstance', 128),
    ...missing('action'),
    ...limit('action', 'action', 128),
    ...missing('reason'),
    ...limit('reason', 'reason', 128),
    ...limit('message', 'message', 1024),
    ...limit('note', 'message', 1024),
  ];
}

/** Checks an event of its own group, which is stricter. */
export function checkGroupEvent(object: JsonObject): Causes {
  const causes: Causes[number][] = [...legacyCauses(object, group), ...seriesCauses(object)];
  if (typeof object['eventTime'] !== 'string') causes.push(required('eventTime'));
  const type = text(object, 'type');
  if (type !== 'Normal' && type !== 'Warning') causes.push(invalid('type', '', `has invalid value: ${type}`));
  causes.push(
    ...['deprecatedFirstTimestamp', 'deprecatedLastTimestamp', 'deprecatedCount']
      .filter((key) => ownValue(object, key) !== undefined && ownValue(object, key) !== null)
      .map((key) => invalid(oldName(key), '', 'needs to be unset')),
  );
  if (Object.keys(part(object, 'deprecatedSource') ?? {}).length > 0)
    causes.push(invalid('source', '', 'needs to be unset'));
  return causes;
}

const told = [
  'regarding',
  'reason',
  'note',
  'deprecatedSource',
  'deprecatedFirstTimestamp',
  'deprecatedLastTimestamp',
  'deprecatedCount',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingController',
  'reportingInstance',
];

/** Checks what an update did to an event of its own group: only the series goes on. */
export function checkGroupEventUpdate(object: JsonObject, old: JsonObject): Causes {
  return [
    ...legacyCauses(object, group),
    ...(deepEqual(object['series'], old['series']) ? [] : seriesCauses(object)),
    ...told
      .filter((key) => !deepEqual(ownValue(object, key), ownValue(old, key)))
      .map((key) => invalid(storedName(key), ownValue(object, key) ?? null, 'field is immutable')),
  ];
}

function seriesCauses(object: JsonObject): Causes {
  const series = part(object, 'series');
  if (series === undefined) return [];
  return [
    ...((number(series, 'count') ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(typeof series['lastObservedTime'] === 'string' ? [] : [required('series.lastObservedTime')]),
  ];
}

/** Errors name the fields as the core group does. */
function storedName(key: string): string {
  if (key === 'regarding') return 'involvedObject';
  if (key === 'note') return 'message';
  return key.startsWith('deprecated') ? oldName(key) : key;
}

/** `deprecatedCount` was once called `count`. */
function oldName(key: string): string {
  const name = key.slice('deprecated'.length);
  return name.charAt(0).toLowerCase() + name.slice(1);
}
