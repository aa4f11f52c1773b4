import { type CustomResourceDefinition, timestamp } from '@manta/api';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { ADMIN } from '../auth/user.ts';
import { definitionStatus } from './definition-status.ts';
import { asDefinition, DEFINITIONS } from './definitions.ts';
import { patchObject } from '../verbs/patch.ts';

/**
 * Stores definitions that are not there yet, established at once, just as if `fieldManager` had applied them. They must be known to be
 * good: reading and checking their schemas is nearly all that an apply costs, and it is left out. Gives the names of those it stored.
 */
export async function plantDefinitions(
  api: Api,
  definitions: readonly CustomResourceDefinition[],
  fieldManager: string,
): Promise<readonly string[]> {
  const planted: string[] = [];
  for (const definition of definitions) {
    const key = { resource: DEFINITIONS, namespace: '', name: definition.metadata?.name ?? '' };
    if (api.store.get(key) !== undefined) continue;
    const schemas = new Map(definition.spec.versions.map(({ name, schema }) => [name, schema]));
    const applied = await applyBare(api, key.name, definition, fieldManager);
    const spec = withSchemas(asDefinition(applied).spec, (name) => schemas.get(name) ?? BARE);
    const others = api.store.list(DEFINITIONS).map(asDefinition);
    const status = definitionStatus({ ...asDefinition(applied), spec }, others, timestamp(api.world.clock.now()));
    api.store.create(key, { ...applied, spec, status });
    planted.push(key.name);
  }
  return planted;
}

type Spec = CustomResourceDefinition['spec'];
type VersionSchema = NonNullable<Spec['versions'][number]['schema']>;

const BARE: VersionSchema = { openAPIV3Schema: { type: 'object' } };

/** What an apply of the definition would store, but for its schemas; nothing is written. */
async function applyBare(
  api: Api,
  name: string,
  definition: CustomResourceDefinition,
  fieldManager: string,
): Promise<StoredObject> {
  const found = api.registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
  if (found === undefined) throw new Error('an API without definitions cannot hold custom resources');
  const asAdmin = { user: ADMIN, userAgent: fieldManager, warn: () => undefined };
  const scope = { ...found, ...asAdmin, namespace: '', name, subresource: '' };
  const bare = { ...definition, spec: withSchemas(definition.spec, () => BARE) };
  const { object } = await patchObject(api, scope, 'apply', bare, { fieldManager, isForced: true, isDryRun: true });
  return object;
}

function withSchemas(spec: Spec, schemaOf: (version: string) => VersionSchema): Spec {
  return { ...spec, versions: spec.versions.map((version) => ({ ...version, schema: schemaOf(version.name) })) };
}
