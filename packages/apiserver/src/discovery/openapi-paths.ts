import { ownValue } from '@manta/base';
import { builtinKinds } from '../builtin/index.ts';
import type { ResourceInfo } from '../object/resource-info.ts';
import type { ServedResource } from '../registry/served-resource.ts';

/** The name of a kind's schema in its document. */
export function definitionName(info: ResourceInfo, version: string): string {
  const builtin = builtinKinds.find((kind) => kind.group === info.group && kind.kind === info.kind);
  if (builtin !== undefined) return builtin.definition;
  return `${info.group.split('.').toReversed().join('.')}.${version}.${info.kind}`;
}

const ACTIONS: Readonly<Record<string, readonly [method: string, action: string, isNamed: boolean]>> = {
  list: ['get', 'list', false],
  create: ['post', 'post', false],
  deletecollection: ['delete', 'deletecollection', false],
  get: ['get', 'get', true],
  update: ['put', 'put', true],
  patch: ['patch', 'patch', true],
  delete: ['delete', 'delete', true],
};

const NAME = { name: 'name', in: 'path', required: true, schema: { type: 'string', uniqueItems: true } };
const NAMESPACE = { name: 'namespace', in: 'path', required: true, schema: { type: 'string', uniqueItems: true } };

/** The operations of a resource, enough for clients to find its kind and what it accepts. */
export function operationPaths({ info }: ServedResource, version: string): Readonly<Record<string, object>> {
  const root = info.group === '' ? `/api/${version}` : `/apis/${info.group}/${version}`;
  const scope = info.isNamespaced ? '/namespaces/{namespace}' : '';
  const collection = `${root}${scope}/${info.plural}`;
  const parameters = info.isNamespaced ? [NAMESPACE] : [];
  return {
    [collection]: { ...operations(info, version, false), parameters },
    [`${collection}/{name}`]: { ...operations(info, version, true), parameters: [NAME, ...parameters] },
  };
}

function operations(info: ResourceInfo, version: string, isNamed: boolean): Readonly<Record<string, object>> {
  const gvk = { group: info.group, version, kind: info.kind };
  const schema = { $ref: `#/components/schemas/${definitionName(info, version)}` };
  const responses = { 200: { description: 'OK', content: { 'application/json': { schema } } } };
  const found = info.verbs.flatMap((verb) => {
    const action = ownValue(ACTIONS, verb);
    if (action === undefined || action[2] !== isNamed) return [];
    const [method, name] = action;
    const parameters = ownValue(QUERY, verb) ?? [];
    return [
      [method, { parameters, responses, 'x-kubernetes-action': name, 'x-kubernetes-group-version-kind': gvk }] as const,
    ];
  });
  return Object.fromEntries(found);
}

const query = (...names: readonly string[]) =>
  names.map((name) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } }));
const WRITE = query('dryRun', 'fieldManager', 'fieldValidation');

/** kubectl looks here to learn whether dry runs and field validation are to be had. */
const QUERY: Readonly<Record<string, readonly object[]>> = {
  create: WRITE,
  update: WRITE,
  patch: [...WRITE, ...query('force')],
  delete: query('dryRun', 'gracePeriodSeconds', 'propagationPolicy'),
  list: query('labelSelector', 'fieldSelector', 'limit', 'continue', 'resourceVersion', 'watch'),
};
