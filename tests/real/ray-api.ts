import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { CustomResourceDefinition } from '@manta/api';
import { crds } from '@manta/api/crds';
import type { ApiAnswer } from '../support/api-request.ts';
import type { PlaneClient } from '../support/control-plane.ts';
import { createTestNamespace } from '../support/namespace.ts';

/** An object as the server answers it; tests look wherever they like. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers are read freely and asserted on
export type Answered = any;

/** Calls to the Ray kinds of one namespace, raw: what the server answers is what the test sees. */
export interface RayApi {
  readonly namespace: string;
  /** Creates without storing; the answer has all defaults. */
  dryRun(kind: string, spec: object, version?: string): Promise<ApiAnswer>;
  create(kind: string, name: string, spec: object, version?: string): Promise<ApiAnswer>;
  get(kind: string, name: string, version?: string): Promise<Answered>;
  /** Merge-patches an object, or one of its subresources. */
  patch(kind: string, name: string, patch: object, subresource?: string, version?: string): Promise<ApiAnswer>;
  path(kind: string, name?: string, version?: string): string;
}

/** Makes sure that the server has our CRDs, exactly as they are now, and serves them. */
export async function installCrds(plane: PlaneClient): Promise<void> {
  const missing = await Promise.all(
    crds().map(async (crd) => ((await isInstalled(plane, crd)) ? [] : [applyCrd(plane, crd)])),
  );
  await Promise.all(missing.flat());
  await Promise.all(crds().map((crd) => untilEstablished(plane, crd)));
}

/** Applying takes the server a second for each CRD, even where nothing changes: ask first. */
async function isInstalled(plane: PlaneClient, crd: CustomResourceDefinition): Promise<boolean> {
  const stored = (await plane.request('GET', crdPath(crd))).body as CustomResourceDefinition;
  return isDeepStrictEqual(versions(stored), versions(crd));
}

function versions(crd: CustomResourceDefinition): readonly unknown[] | undefined {
  return crd.spec?.versions.map(({ name, schema, additionalPrinterColumns }) => [
    name,
    schema,
    additionalPrinterColumns,
  ]);
}

/** Makes a namespace of its own and calls into it; all its objects are of no interest to anybody else. */
export async function createRayApi(plane: PlaneClient): Promise<RayApi> {
  const { name: namespace } = await createTestNamespace(plane);
  const path = (kind: string, name?: string, version = 'v1') =>
    `/apis/ray.io/${version}/namespaces/${namespace}/${kind.toLowerCase()}s${name === undefined ? '' : `/${name}`}`;
  const post = (kind: string, metadata: object, spec: object, version: string, query: string) =>
    plane.request('POST', `${path(kind, undefined, version)}${query}`, {
      apiVersion: `ray.io/${version}`,
      kind,
      metadata,
      spec,
    });
  return {
    namespace,
    path,
    dryRun: (kind, spec, version = 'v1') => post(kind, { generateName: 'test-' }, spec, version, '?dryRun=All'),
    create: (kind, name, spec, version = 'v1') => post(kind, { name }, spec, version, ''),
    get: async (kind, name, version) => (await plane.request('GET', path(kind, name, version))).body,
    patch: (kind, name, patch, subresource, version) =>
      plane.request(
        'PATCH',
        `${path(kind, name, version)}${subresource === undefined ? '' : `/${subresource}`}`,
        patch,
        { 'content-type': 'application/merge-patch+json' },
      ),
  };
}

/** What the server said, where its answer does not have the expected status; undefined where it has. */
export function surprise(answer: ApiAnswer, expected: number): string | undefined {
  return answer.status === expected ? undefined : `${answer.status}: ${answer.text.slice(0, 2000)}`;
}

/** The least that makes a valid cluster. */
export function clusterSpec(more: object = {}): object {
  return { headGroupSpec: headGroup(), ...more };
}

/** A head group of one container. */
export function headGroup(more: object = {}): object {
  return { template: podTemplate(), ...more };
}

/** A worker group of one container. */
export function workerGroup(groupName: string, more: object = {}): object {
  return { groupName, template: podTemplate(), ...more };
}

/** A pod template of one container; `container` adds to it. */
export function podTemplate(container: object = {}): object {
  return { spec: { containers: [{ name: 'ray', image: 'ray', ...container }] } };
}

/** Puts one CRD on the server, as `kubectl apply --server-side` would. */
export function applyCrd(plane: PlaneClient, crd: CustomResourceDefinition): Promise<ApiAnswer> {
  const path = `${crdPath(crd)}?fieldManager=manta&force=true&fieldValidation=Strict`;
  return plane.request('PATCH', path, crd, { 'content-type': 'application/apply-patch+yaml' });
}

/** Established, served, and listed by discovery, which trails behind. */
async function untilEstablished(plane: PlaneClient, crd: CustomResourceDefinition): Promise<void> {
  const { plural } = crd.spec.names;
  for (let attempt = 0; attempt < 300; attempt++) {
    const { status } = (await plane.request('GET', crdPath(crd))).body as CustomResourceDefinition;
    const isEstablished = status?.conditions?.some((each) => each.type === 'Established' && each.status === 'True');
    const served = await plane.request('GET', `/apis/ray.io/v1/${plural}?limit=1`);
    const discovery = await plane.request('GET', '/apis/ray.io/v1');
    if (isEstablished === true && served.status === 200 && discovery.text.includes(`"name":"${plural}"`)) return;
    await sleep(100);
  }
  throw new Error(`${crd.metadata?.name} was not established within 30 s.`);
}

/** Where the server keeps a CRD. */
export function crdPath(crd: CustomResourceDefinition): string {
  return `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata?.name ?? ''}`;
}
