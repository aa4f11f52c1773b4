import { eventually } from './eventually.ts';
import type { Fields, KubeObject, Target } from './target.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** What a case wants its custom resource to be. */
export interface Wanted {
  /** The schema of `spec`. */
  readonly spec?: Fields;
  /** The schema of the whole object, instead. */
  readonly schema?: Fields;
  readonly version?: Fields;
  readonly versions?: readonly Fields[];
  readonly names?: Fields;
  readonly scope?: 'Namespaced' | 'Cluster';
}

/** A custom resource of a case's own. */
export interface CustomResource {
  readonly group: string;
  /** The name of its definition. */
  readonly definition: string;
  readonly definitionPath: string;
  readonly apiVersion: string;
  path(namespace: string, name?: string, version?: string): string;
  object(name: string, spec?: Fields, more?: Fields): Fields;
}

/** A whole schema around that of `spec`, with a status that takes anything. */
export function schemaOf(spec: Fields): Fields {
  return {
    type: 'object',
    properties: { spec, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  };
}

/** The definition of a custom resource called Widget, in a group of its own. */
export function widgetDefinition(group: string, wanted: Wanted): Fields {
  const schema =
    wanted.schema ?? schemaOf(wanted.spec ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...wanted.version };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: wanted.scope ?? 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', ...wanted.names },
      versions: wanted.versions ?? [version],
    },
  };
}

/** Waits until a path is served. */
export async function served(t: Target, path: string): Promise<void> {
  await eventually(`${path} to be served`, async () =>
    (await t.request('GET', path)).status === 200 ? true : undefined,
  );
}

/** Makes a custom resource and waits until it is served. */
export async function createWidgets(t: Target, wanted: Wanted = {}): Promise<CustomResource> {
  const group = `${t.unique('g')}.example.com`;
  await t.must('POST', crds, widgetDefinition(group, wanted));
  const definition = `widgets.${group}`;
  await eventually(`${definition} to be established`, async () => {
    const { status } = await t.must('GET', `${crds}/${definition}`);
    const conditions = (status['conditions'] ?? []) as { type: string; status: string }[];
    return conditions.some(({ type, status: value }) => type === 'Established' && value === 'True') ? true : undefined;
  });
  const scoped = (namespace: string) => (wanted.scope === 'Cluster' ? '' : `/namespaces/${namespace}`);
  const path = (namespace: string, name?: string, version = 'v1') =>
    `/apis/${group}/${version}${scoped(namespace)}/widgets${name === undefined ? '' : `/${name}`}`;
  for (const { name } of (wanted.versions ?? [{ name: 'v1' }]) as readonly { name: string }[])
    await served(t, path('default', undefined, name));
  return {
    group,
    definition,
    definitionPath: `${crds}/${definition}`,
    apiVersion: `${group}/v1`,
    path,
    object: (name, spec = {}, more = {}) => ({
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name },
      spec,
      ...more,
    }),
  };
}

const shared = new Map<string, Map<string, Promise<CustomResource>>>();

/** A custom resource that several cases use and none changes; made once for each server. */
export function sharedWidgets(t: Target, key: string, wanted: Wanted): Promise<CustomResource> {
  const ofServer = shared.get(t.url) ?? new Map<string, Promise<CustomResource>>();
  shared.set(t.url, ofServer);
  const known = ofServer.get(key) ?? createWidgets(t, wanted);
  ofServer.set(key, known);
  return known;
}

/** Changes a definition, again where somebody wrote in between. */
export function changeDefinition(
  t: Target,
  widgets: CustomResource,
  change: (spec: Fields) => Fields,
): Promise<KubeObject> {
  return eventually(`a change of ${widgets.definition}`, async () => {
    const now = await t.must('GET', widgets.definitionPath);
    const answer = await t.request('PUT', widgets.definitionPath, { ...now, spec: change(now.spec) });
    if (answer.status === 409) return undefined;
    if (answer.status !== 200) throw new Error(`${widgets.definition}: ${answer.status} ${answer.text}`);
    return answer.body as KubeObject;
  });
}
