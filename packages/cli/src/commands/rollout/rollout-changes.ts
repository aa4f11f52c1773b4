import { Label, PAUSED_STRATEGY, pausePatch, type PodTemplateSpec, type RayClusterSpec, resumePatch } from '@manta/api';
import { resources } from '@manta/kube';
import { CliError, failedTo } from '../../cli-error.ts';
import { FIELD_MANAGER } from '../../field-manager.ts';
import type { Invocation } from '../../invocation.ts';
import { labelOf } from '../../resolve-target.ts';
import { change, readCluster, readService, targetOf } from './rollout.ts';

const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/**
 * `rollout restart`: a RayService gets a new cluster by its upgrade strategy. A RayCluster with strategy Recreate replaces its pods;
 * the pods of any other are deleted, and the operator creates them again.
 */
export async function rolloutRestart(call: Invocation, text: string): Promise<void> {
  const { namespace, target } = await targetOf(call, text);
  const client = await call.client();
  const at = new Date(call.world.clock.now()).toISOString();
  if (target.kind === 'rayservice') {
    const service = await readService(call, namespace, target.name);
    if (service.spec === undefined) throw new CliError(`${labelOf(target)} has no spec`);
    if (service.spec.upgradeStrategy?.type === 'None')
      throw new CliError(
        `${labelOf(target)} is not restarted: spec.upgradeStrategy.type is None. Run rollout resume first.`,
      );
    const spec = { ...service.spec, rayClusterConfig: restarted(service.spec.rayClusterConfig, at) };
    await client.update(resources.rayServices, { ...service, spec }, { fieldManager: FIELD_MANAGER });
  } else {
    const cluster = await readCluster(call, namespace, target.name);
    if (cluster.spec?.upgradeStrategy?.type === 'Recreate') {
      const spec = restarted(cluster.spec, at);
      await client.update(resources.rayClusters, { ...cluster, spec }, { fieldManager: FIELD_MANAGER });
    } else {
      const labelSelector = `${Label.Cluster}=${target.name}`;
      await client.deleteCollection(resources.pods, { namespace, labelSelector }).catch((error: unknown) => {
        throw failedTo(`failed to delete the pods of ${labelOf(target)}`, error);
      });
      call.say('Jobs on this cluster are lost: its pods are deleted, and the operator creates them again.');
    }
  }
  call.print(`${labelOf(target)} restarts. To wait for it: kubectl ray rollout status ${labelOf(target)}`);
}

function restarted(spec: RayClusterSpec, at: string): RayClusterSpec {
  const stamp = (template: PodTemplateSpec): PodTemplateSpec => ({
    ...template,
    metadata: { ...template.metadata, annotations: { ...template.metadata?.annotations, [RESTARTED_AT]: at } },
  });
  return {
    ...spec,
    headGroupSpec: { ...spec.headGroupSpec, template: stamp(spec.headGroupSpec.template) },
    ...(spec.workerGroupSpecs !== undefined && {
      workerGroupSpecs: spec.workerGroupSpecs.map((group) => ({ ...group, template: stamp(group.template) })),
    }),
  };
}

/** `rollout pause`: later changes of the spec start no upgrade until `rollout resume`. */
export async function rolloutPause(call: Invocation, text: string): Promise<void> {
  const { namespace, target } = await targetOf(call, text);
  const object =
    target.kind === 'rayservice'
      ? await readService(call, namespace, target.name)
      : await readCluster(call, namespace, target.name);
  if (object.metadata?.annotations?.[PAUSED_STRATEGY] !== undefined) {
    call.print(`${labelOf(target)} is already paused`);
    return;
  }
  await change(call, namespace, target, pausePatch(object));
  call.print(
    `${labelOf(target)} is paused: changes start no upgrade until kubectl ray rollout resume ${labelOf(target)}`,
  );
}

/** `rollout resume`: returns to the strategy that `rollout pause` found. */
export async function rolloutResume(call: Invocation, text: string): Promise<void> {
  const { namespace, target } = await targetOf(call, text);
  const object =
    target.kind === 'rayservice'
      ? await readService(call, namespace, target.name)
      : await readCluster(call, namespace, target.name);
  if (object.metadata?.annotations?.[PAUSED_STRATEGY] === undefined)
    throw new CliError(`${labelOf(target)} is not paused: rollout pause was not used.`);
  await change(call, namespace, target, resumePatch(object));
  call.print(`${labelOf(target)} is resumed`);
}
