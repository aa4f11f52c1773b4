import { compareQuantities, isAtLeast, Label, NodeType, parseVersion, type RayCluster } from '@manta/api';
import { itemsOf, type Part, timeMs, type World } from '@manta/insight';
import { amountsOf } from '@manta/plan';
import { imageVersion } from '../version.ts';
import { type Check, unknown } from './check.ts';

/** Checks of objects that the user sees in one namespace, or in all. */
export function checkObjects(world: World): readonly Check[] {
  return [...checkQuotas(world), ...checkLeftovers(world), ...checkGateways(world), ...checkVulnerabilities(world)];
}

function partCheck<T>(check: string, part: Part<T>, judge: (items: readonly T[]) => Check): readonly Check[] {
  if (part.kind === 'unreadable') return [unknown(check, part.right)];
  return part.kind === 'seen' ? [judge(part.items)] : [];
}

export function checkQuotas(world: World): readonly Check[] {
  const check = 'quota';
  return partCheck(check, world.quotas, (quotas) => {
    const full = quotas.flatMap(({ metadata, status }) => {
      const [hard, used] = [amountsOf(status?.hard ?? {}), amountsOf(status?.used ?? {})];
      return [...hard]
        .filter(([name, limit]) => {
          const amount = used.get(name);
          return amount !== undefined && compareQuantities(amount, limit) >= 0;
        })
        .map(([name]) => `${metadata?.namespace}/${metadata?.name}: ${name}`);
    });
    if (full.length === 0) return { check, state: 'ok', says: quotas.length === 0 ? 'no ResourceQuota' : 'has room' };
    const hint = 'New pods that need these are refused. Delete something, or ask for a larger quota.';
    return { check, state: 'warning', says: `used up: ${full.join(', ')}`, hint };
  });
}

/** A deletion that takes longer than this is stuck. */
const STUCK_MS = 5 * 60_000;

export function checkLeftovers(world: World): readonly Check[] {
  const parts = [world.rayClusters, world.rayJobs, world.rayServices, world.rayCronJobs];
  const kinds = ['RayCluster', 'RayJob', 'RayService', 'RayCronJob'];
  const stuck = parts.flatMap((part, index) =>
    itemsOf<RayCluster | { readonly metadata?: RayCluster['metadata'] }>(part).flatMap(({ metadata = {} }) => {
      const since = timeMs(metadata.deletionTimestamp);
      const isStuck = since !== undefined && world.now - since > STUCK_MS;
      return isStuck
        ? [`${kinds[index]} ${metadata.namespace}/${metadata.name} (${(metadata.finalizers ?? []).join(', ')})`]
        : [];
    }),
  );
  const unread = parts.find((part) => part.kind === 'unreadable');
  const cleanups = itemsOf(world.jobs)
    .filter(({ metadata }) => metadata?.labels?.[Label.NodeType] === NodeType.RedisCleanup)
    .filter(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === 'Failed' && value === 'True'),
    );
  const names = cleanups.map(({ metadata }) => `Job ${metadata?.namespace}/${metadata?.name}`);
  return [
    stuck.length > 0
      ? {
          check: 'finalizers',
          state: 'failed',
          says: `stuck deletions: ${stuck.join(', ')}`,
          hint: 'Start the operator, which removes its finalizers. Without one, remove them by hand with kubectl edit.',
        }
      : unread?.kind === 'unreadable'
        ? unknown('finalizers', unread.right)
        : { check: 'finalizers', state: 'ok', says: 'no deletion is stuck' },
    ...(names.length === 0
      ? []
      : [
          {
            check: 'Redis keys',
            state: 'warning',
            says: `keys of deleted clusters are left in Redis, because these failed: ${names.join(', ')}`,
            hint: 'See the logs of these Jobs; delete the keys of the deleted clusters in Redis by hand.',
          } as const,
        ]),
  ];
}

export function checkGateways(world: World): readonly Check[] {
  const check = 'Gateway API';
  const isNeeded = itemsOf(world.rayServices).some(
    ({ spec }) => spec?.upgradeStrategy?.type === 'NewClusterWithIncrementalUpgrade',
  );
  if (world.gatewayClasses.kind === 'absent') {
    return isNeeded
      ? [
          {
            check,
            state: 'failed',
            says: 'not installed, and a RayService upgrades incrementally',
            hint: 'Install the Gateway API and a controller for it, e.g. bin/manta router, or use upgradeStrategy NewCluster.',
          },
        ]
      : [{ check, state: 'ok', says: 'not installed; only incremental upgrades of RayServices need it' }];
  }
  return partCheck(check, world.gatewayClasses, (classes) => {
    const served = classes.filter(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === 'Accepted' && value === 'True'),
    );
    const names = served.map(({ metadata }) => metadata?.name).join(', ');
    if (served.length > 0 || !isNeeded)
      return { check, state: 'ok', says: served.length > 0 ? `served classes: ${names}` : 'no GatewayClass is served' };
    const hint = 'Start a Gateway controller, e.g. bin/manta router.';
    return { check, state: 'failed', says: 'no GatewayClass is served, and a RayService upgrades incrementally', hint };
  });
}

/** CVE-2026-27482 is fixed in this version. */
const FIXED = [2, 54];

export function checkVulnerabilities(world: World): readonly Check[] {
  const check = 'Ray security';
  return partCheck(check, world.rayClusters, (clusters) => {
    const nameOf = ({ metadata }: RayCluster) => `${metadata?.namespace}/${metadata?.name}`;
    const exposed = clusters.filter(isExposed).map(nameOf);
    const old = clusters.filter(hasOldRay).map(nameOf);
    if (exposed.length > 0) {
      const hint =
        'Anyone who reaches the dashboard runs code. Set authOptions.mode: token, or use a ClusterIP Service and kubectl ray session.';
      return {
        check,
        state: 'failed',
        says: `CVE-2023-48022: dashboards open to others without a token: ${short(exposed)}`,
        hint,
      };
    }
    if (old.length > 0) {
      const hint = 'Use Ray 2.54 or newer: older dashboards take requests from any web page that a user has open.';
      return { check, state: 'warning', says: `CVE-2026-27482: Ray older than 2.54: ${short(old)}`, hint };
    }
    return { check, state: 'ok', says: 'no RayCluster with a known vulnerability' };
  });
}

function short(names: readonly string[]): string {
  const more = names.length - 5;
  return `${names.slice(0, 5).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The dashboard is reachable from outside of the cluster, and Ray asks for no token. */
function isExposed({ spec }: RayCluster): boolean {
  const { enableIngress, headService, serviceType } = spec?.headGroupSpec ?? {};
  const type = headService?.spec?.type || serviceType;
  const isOutside = enableIngress === true || type === 'NodePort' || type === 'LoadBalancer';
  return isOutside && spec?.authOptions?.mode !== 'token';
}

/** Tags of other images than Ray's own are versions of something else. */
const OWN_IMAGE = /(?:^|\/)rayproject\/ray/;

function hasOldRay({ spec }: RayCluster): boolean {
  const image = spec?.headGroupSpec.template.spec?.containers[0]?.image ?? '';
  const tag = parseVersion(OWN_IMAGE.test(image) ? imageVersion(image) : '');
  const version = tag.ok ? tag : parseVersion(spec?.rayVersion ?? '');
  return version.ok && !isAtLeast(version.value, FIXED);
}
