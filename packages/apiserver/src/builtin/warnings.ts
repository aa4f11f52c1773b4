import { ownValue } from '@manta/base';
import { goQuote, parseQuantity } from '@manta/api';
import type { JsonObject } from '../object/json.ts';
import { metaOf, number, part, parts, text, texts } from './read.ts';

/** Warnings for an accepted Service. */
export function serviceWarnings(object: JsonObject): readonly string[] {
  const spec = part(object, 'spec') ?? {};
  const isHeadless = text(spec, 'clusterIP') === 'None';
  return [
    ...(texts(spec, 'externalIPs').length > 0
      ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
      : []),
    ...(isHeadless && text(spec, 'sessionAffinity') === 'ClientIP'
      ? ['spec.SessionAffinity is ignored for headless services']
      : []),
    ...(text(spec, 'type') !== 'ExternalName' && text(spec, 'externalName') !== ''
      ? ['spec.externalName is ignored when spec.type is not "ExternalName"']
      : []),
  ];
}

/** Warnings for an accepted new pod; updates cause none. */
export function podWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  return old !== undefined ? [] : podSpecWarnings(part(object, 'spec') ?? {}, 'spec');
}

/** Warnings for an accepted job that is new or whose spec changes. */
export function jobWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  if (old !== undefined && metaOf(old)['generation'] === metaOf(object)['generation']) return [];
  return podSpecWarnings(part(part(part(object, 'spec'), 'template'), 'spec') ?? {}, 'spec.template.spec');
}

function podSpecWarnings(spec: JsonObject, at: string): readonly string[] {
  const containers = ['initContainers', 'containers'].flatMap((list) =>
    parts(spec, list).map((container, index) => ({ container, place: `${at}.${list}[${index}]` })),
  );
  const ports = containers.flatMap(({ container, place }) => placed(parts(container, 'ports'), `${place}.ports`));
  const named = ports.filter(({ item }) => text(item, 'name') !== '');
  const grace = number(spec, 'terminationGracePeriodSeconds') ?? 0;
  return [
    ...containers.flatMap(({ container, place }) => containerWarnings(container, place)),
    ...repeated(ports, portKey).map(({ place, first }) => `${place}: duplicate port definition with ${first}`),
    ...repeated(named, (port) => text(port, 'name')).map(
      ({ place, first, key }) =>
        `${place}: duplicate port name ${goQuote(key)} with ${first}, services and probes that select ports by name will use ${first}`,
    ),
    ...(grace < 0
      ? [`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
  ];
}

function containerWarnings(container: JsonObject, at: string): readonly string[] {
  const resources = part(container, 'resources');
  return [
    ...repeated(placed(parts(container, 'env'), `${at}.env`), (each) => text(each, 'name')).map(
      ({ place, key }) =>
        `${place}: hides previous definition of ${goQuote(key)}, which may be dropped when using apply`,
    ),
    ...['limits', 'requests'].flatMap((key) => fractions(part(resources, key), `${at}.resources.${key}`)),
  ];
}

function portKey(port: JsonObject): string {
  return JSON.stringify(['containerPort', 'hostPort', 'hostIP', 'protocol'].map((key) => ownValue(port, key)));
}

/** Amounts of bytes that are no whole ones. */
function fractions(amounts: JsonObject | undefined, at: string): readonly string[] {
  return ['memory', 'ephemeral-storage'].flatMap((name) => {
    const amount = text(amounts, name);
    const parsed = parseQuantity(amount);
    if (amount === '' || !parsed.ok || parsed.value.nanos % 1_000_000_000n === 0n) return [];
    return [`${at}[${name}]: fractional byte value ${goQuote(amount)} is invalid, must be an integer`];
  });
}

interface Placed {
  readonly item: JsonObject;
  readonly place: string;
}

function placed(items: readonly JsonObject[], at: string): readonly Placed[] {
  return items.map((item, index) => ({ item, place: `${at}[${index}]` }));
}

interface Repeated {
  readonly key: string;
  readonly place: string;
  readonly first: string;
}

/** The items whose key an earlier one has. */
function repeated(items: readonly Placed[], keyOf: (item: JsonObject) => string): readonly Repeated[] {
  const places = new Map<string, string>();
  return items.flatMap(({ item, place }) => {
    const key = keyOf(item);
    const first = places.get(key);
    if (first !== undefined) return [{ key, place, first }];
    places.set(key, place);
    return [];
  });
}
