import type { RayCluster } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { isNotFound, resources } from '@manta/kube';
import { ACCESS_RULES, clusterRole } from '@manta/operator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubelet } from './kubelet.ts';
import { startControllers } from './operator.ts';
import { type Rules, type Stage, until } from './stage.ts';

interface Grant {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

/** What became of a cluster whose operator lacked one permission. */
interface Story {
  /** The condition's words, where the lack was told. */
  readonly told: string | undefined;
  /** Whether it came up, scaled, was suspended and went in the end, once the permission was given. */
  readonly isWell: boolean;
}

const CONCERNED = new Set([
  'rayclusters',
  'rayclusters/status',
  'pods',
  'services',
  'events',
  'serviceaccounts',
  'roles',
  'rolebindings',
  'secrets',
  'jobs',
  'ingresses',
]);

/** Every permission that RayClusters may need, one by one. */
const GRANTS: readonly Grant[] = ACCESS_RULES.filter(({ profile }) => profile === 'base').flatMap((rule) =>
  rule.groups.flatMap((group) =>
    rule.resources
      .filter((resource) => CONCERNED.has(resource))
      .flatMap((resource) => rule.verbs.map((verb) => ({ verb, group, resource }))),
  ),
);

/** Without these a RayCluster cannot become what it should, and there is a status to say so in. */
const MUST_BE_TOLD = [
  'create pods',
  'watch pods',
  'delete pods',
  'create services',
  'watch services',
  'create serviceaccounts',
  'watch serviceaccounts',
  'create roles',
  'watch roles',
  'create rolebindings',
  'watch rolebindings',
  'create secrets',
  'watch secrets',
  'create ingresses',
  'watch ingresses',
  'watch jobs',
  'get pods',
];

const AT_ONCE = 6;

/** Takes each permission of the role away in turn: nothing hangs, and the cluster says what is missing. */
export function permissionsSuite(open: () => Stage): void {
  describe('an operator that lacks one permission', () => {
    const stories = new Map<string, Story>();

    beforeAll(async () => {
      const stage = open();
      const left = [...GRANTS];
      const work = async () => {
        for (let grant = left.shift(); grant !== undefined; grant = left.shift())
          stories.set(nameOf(grant), await live(stage, grant));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    }, 900_000);
    afterAll(() => stories.clear());

    it('harms no cluster for longer than the lack lasts', () => {
      expect(stories.size).toBeGreaterThan(40);
      expect([...stories].filter(([, { isWell }]) => !isWell).map(([name]) => name)).toEqual([]);
    });

    it('tells of no other lack than that', () => {
      const wrong = [...stories].filter(([name, { told }]) => told !== undefined && !names(told, name));
      expect(wrong).toEqual([]);
    });

    it.each(MUST_BE_TOLD)('says in the status that it may not %s', (name) => {
      expect(stories.get(name)?.told).toContain('Bind it to the role that "manta rbac" prints');
    });
  });
}

function nameOf({ verb, resource }: Grant): string {
  return `${verb} ${resource}`;
}

/** Whether the condition names the rule, as one that we lack or as one that we cannot pass on to the autoscaler. */
function names(told: string, name: string): boolean {
  const [verb, resource] = name.split(' ');
  return [`resources ["${resource}"], verbs ["${verb}"]`, `Resources:["${resource}"], Verbs:["${verb}"]`].some((rule) =>
    told.includes(rule),
  );
}

function without({ verb, group, resource }: Grant): Rules {
  return clusterRole([]).rules.flatMap((rule) => {
    if (!rule.resources.includes(resource) || !rule.apiGroups.includes(group)) return [rule];
    const others = rule.resources.filter((each) => each !== resource);
    const rest = { ...rule, resources: [resource], verbs: rule.verbs.filter((each) => each !== verb) };
    // A rule without resources or verbs is none.
    return [{ ...rule, resources: others }, rest].filter((each) => each.resources.length > 0 && each.verbs.length > 0);
  });
}

/** A cluster's whole life. As soon as it is stuck, the permission is given. */
async function live(stage: Stage, lack: Grant): Promise<Story> {
  const namespace = await stage.target.namespace();
  const person = await stage.operatorUser();
  await person.permit(without(lack));
  const kubelet = startKubelet(stage.admin, namespace);
  const env = { ENABLE_RANDOM_POD_DELETE: 'true' };
  const operator = startControllers(person.client, { namespaces: [namespace], env });
  const ref = { name: 'demo', namespace };
  const patch = (spec: object) => stage.admin.patch(resources.rayClusters, ref, { type: 'merge', body: { spec } });
  const workers = async () => (await stage.admin.list(resources.pods, { namespace })).items.length - 1;
  let told: string | undefined;
  let isWhole = false;
  const reach = async (what: string, isThere: (cluster: RayCluster) => boolean | Promise<boolean>) => {
    const giveUpAt = Date.now() + (MUST_BE_TOLD.includes(nameOf(lack)) ? TELL_MS : STUCK_MS);
    await until(
      what,
      async () => {
        const cluster = await stage.admin.get<RayCluster>(resources.rayClusters, ref);
        const lacking = cluster.status?.conditions?.find(({ type }) => type === 'PermissionMissing');
        told ??= lacking?.message;
        if (await isThere(cluster)) return true;
        if (!isWhole && (lacking !== undefined || Date.now() > giveUpAt)) {
          isWhole = true;
          await person.permit(clusterRole([]).rules);
        }
        return undefined;
      },
      PATIENCE_MS,
    );
  };
  try {
    await stage.admin.create<RayCluster>(resources.rayClusters, richCluster(namespace));
    await reach('a ready cluster', ({ status }) => status?.state === 'ready');
    await patch({ workerGroupSpecs: [workerGroup('small', { replicas: 1 })] });
    await reach('one worker less', async () => (await workers()) === 1);
    await patch({ suspend: true });
    await reach('a suspended cluster', ({ status }) => status?.state === 'suspended');
    await stage.admin.delete(resources.rayClusters, ref);
    if (!isWhole) await person.permit(clusterRole([]).rules);
    await until('the cluster to be gone', () => isGone(stage, ref), PATIENCE_MS);
    return { told, isWell: true };
  } catch (error) {
    return { told: `${told} ${String(error)}`, isWell: false };
  } finally {
    await operator.stop();
    await kubelet.stop();
  }
}

/** How long something may be stuck before it counts as stuck for a reason that cannot be told. */
const STUCK_MS = 4_000;
/** The same where it has to be told. */
const TELL_MS = 40_000;
const PATIENCE_MS = 120_000;

async function isGone(
  stage: Stage,
  ref: { readonly name: string; readonly namespace: string },
): Promise<true | undefined> {
  try {
    await stage.admin.get(resources.rayClusters, ref);
    return undefined;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

/** Needs every kind of child; the choice of victims is left to us, so that pods are deleted one by one. */
function richCluster(namespace: string): RayCluster {
  const { headGroupSpec } = rayClusterSpec();
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'demo', namespace, annotations: { 'ray.io/gcs-ft-deletion-timeout': '5' } },
    spec: rayClusterSpec({
      rayVersion: '2.55.0',
      authOptions: { mode: 'token' },
      enableInTreeAutoscaling: true,
      gcsFaultToleranceOptions: { redisAddress: 'redis:6379' },
      headGroupSpec: { ...headGroupSpec, enableIngress: true },
      workerGroupSpecs: [workerGroup('small', { replicas: 2 })],
    }),
  };
}
