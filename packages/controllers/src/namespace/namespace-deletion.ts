import { messageOf } from '@manta/base';
import type { Namespace } from '@manta/api';
import { deepEqual } from '@manta/apiserver';
import { type Cluster, nameOf, readOne, refOf, type Stored, typeOf } from '../framework/cluster.ts';
import type { Controller } from '../framework/controller.ts';
import { namespaces, pods } from '../framework/kinds.ts';
import { isNotFound } from '../framework/refusal.ts';
import { namespaceConditions } from './namespace-conditions.ts';
import { type Content, contentOf } from './namespace-content.ts';

/** The entry of `spec.finalizers` that this controller is answerable for. */
export const NAMESPACE_FINALIZER = 'kubernetes';

/** Empties namespaces that are being deleted, pods first, and then lets them go. */
export function namespaceDeletion(cluster: Cluster): Controller {
  return {
    name: 'namespace-deletion',
    keysOf: ({ key, type }) => {
      if (key.resource === nameOf(namespaces)) return [key.name];
      return key.namespace !== '' && type !== 'ADDED' ? [key.namespace] : [];
    },
    reconcile: async (name) => {
      const namespace = readOne(cluster.store, namespaces, '', name);
      if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
      if (!namespace.spec?.finalizers?.includes(NAMESPACE_FINALIZER)) return undefined;
      await empty(cluster, namespace);
      return undefined;
    },
  };
}

async function empty(cluster: Cluster, namespace: Stored<Namespace>): Promise<void> {
  const { name } = namespace.metadata;
  const content = () => contentOf(cluster.store, cluster.resources(), name);
  const podsFirst = content().filter(({ info }) => info.plural === pods.plural && info.group === pods.group);
  const failures = await deleteAll(cluster, podsFirst.length > 0 ? podsFirst : content());
  const left = content();
  const hasPods = left.some(({ info }) => info.plural === pods.plural && info.group === pods.group);
  // While pods end, nothing else is touched and nothing is reported as left over.
  await report(cluster, namespace, hasPods ? [] : left, failures);
  if (failures.length > 0) throw new Error(`cannot empty namespace ${name}: ${failures.join(', ')}`);
  if (left.length === 0) await finalize(cluster, name);
  else if (podsFirst.length > 0 && !hasPods)
    await empty(cluster, readOne(cluster.store, namespaces, '', name) ?? namespace);
}

/** Asks for everything to go; returns what could not be asked for, and why. */
async function deleteAll({ writes }: Cluster, content: readonly Content[]): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const { info, objects } of content) {
    for (const { metadata } of objects) {
      if (metadata.deletionTimestamp !== undefined) continue;
      const { namespace = '', name, uid } = metadata;
      try {
        await writes.delete(typeOf(info), refOf({ namespace, name }), {
          propagation: 'Background',
          preconditions: { uid },
        });
      } catch (error) {
        if (!isNotFound(error)) failures.push(messageOf(error));
      }
    }
  }
  return failures;
}

async function report(
  { writes, world, store }: Cluster,
  namespace: Stored<Namespace>,
  remaining: readonly Content[],
  failures: readonly string[],
): Promise<void> {
  const before = namespace.status?.conditions ?? [];
  const conditions = namespaceConditions(before, remaining, failures, world.clock.now());
  if (deepEqual(conditions, before)) return;
  const now = readOne(store, namespaces, '', namespace.metadata.name) ?? namespace;
  const status = { ...now.status, phase: 'Terminating', conditions };
  await writes.update(namespaces, { ...now, status }, { subresource: 'status' });
}

async function finalize({ writes, store }: Cluster, name: string): Promise<void> {
  const now = readOne(store, namespaces, '', name);
  if (now === undefined) return;
  const finalizers = (now.spec?.finalizers ?? []).filter((finalizer) => finalizer !== NAMESPACE_FINALIZER);
  await writes.update(namespaces, { ...now, spec: { ...now.spec, finalizers } }, { subresource: 'finalize' });
}
