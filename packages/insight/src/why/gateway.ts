import {
  isGatewayReady,
  isHttpRouteReady,
  RayServiceConditionReason,
  RayServiceUpgradeType,
  type RayService,
} from '@manta/api';
import { find, refText } from '../lookup.ts';
import { itemsOf, type RayRef, type World } from '../world.ts';
import { brief, type Cause, type Evidence } from './cause.ts';
import type { CauseCode } from './codes.ts';

/** Why traffic cannot move in steps: the Gateway API, the class, the Gateway or the route. */
export function gatewayCause(ref: RayRef, { spec, status, metadata }: RayService, world: World): Cause | undefined {
  const strategy = spec?.upgradeStrategy;
  const isMissing = status?.conditions?.find(({ reason }) => reason === RayServiceConditionReason.GatewayApiNotFound);
  if (strategy?.type !== RayServiceUpgradeType.NewClusterWithIncrementalUpgrade) return undefined;
  const found = (code: CauseCode, sentence: string, action: string, evidence: Evidence): Cause => ({
    code,
    object: evidence.object,
    sentence,
    evidence: [evidence],
    action,
  });
  if (isMissing !== undefined || world.gateways.kind === 'absent')
    return found(
      'GatewayApiMissing',
      `${refText(ref)} moves traffic in steps, and the Gateway API is not installed`,
      'Install the CRDs of the Gateway API, or set upgradeStrategy.type: NewCluster.',
      { object: ref, source: 'spec.upgradeStrategy.type', text: strategy.type },
    );
  const className = strategy.clusterUpgradeOptions?.gatewayClassName ?? '';
  const classRef = { kind: 'GatewayClass', name: className };
  const gatewayClass = find(world.gatewayClasses, undefined, className);
  const gateway = itemsOf(world.gateways).find((candidate) =>
    isOwnedBy(candidate.metadata?.ownerReferences, metadata?.uid),
  );
  if (gateway !== undefined && isGatewayReady(gateway)) return routeCause(ref, metadata?.uid, gateway, world);
  if (world.gatewayClasses.kind === 'seen' && gatewayClass === undefined)
    return found(
      'GatewayClassMissing',
      `${refText(ref)} uses GatewayClass ${className}, which does not exist`,
      `Install a Gateway controller with class ${className}, e.g. manta router, or correct gatewayClassName.`,
      { object: ref, source: 'spec.upgradeStrategy.clusterUpgradeOptions.gatewayClassName', text: className },
    );
  const accepted = gatewayClass?.status?.conditions?.find(({ type }) => type === 'Accepted');
  if (gatewayClass !== undefined && accepted?.status !== 'True')
    return found(
      'GatewayClassNotServed',
      `no controller serves GatewayClass ${className} (controllerName ${gatewayClass.spec?.controllerName ?? 'unset'})`,
      'Start the controller that the class names, or choose another class.',
      {
        object: classRef,
        source: 'status.conditions[Accepted]',
        text: brief(accepted?.message) || (accepted?.status ?? 'absent'),
      },
    );
  if (gateway === undefined) return undefined;
  const name = gateway.metadata?.name ?? '';
  const bad = gateway.status?.conditions?.find(
    ({ type, status: state }) => (type === 'Accepted' || type === 'Programmed') && state !== 'True',
  );
  const object = { kind: 'Gateway', name, namespace: ref.namespace };
  return found(
    'GatewayNotProgrammed',
    `Gateway ${name} of ${refText(ref)} is not ready: ${brief(bad?.message) || `no controller has taken it (class ${className})`}`,
    `Check that a controller serves GatewayClass ${className}, and read the status of the Gateway.`,
    { object, source: `status.conditions[${bad?.type ?? 'Accepted'}]`, text: brief(bad?.message) || 'absent' },
  );
}

function routeCause(
  ref: RayRef,
  uid: string | undefined,
  gateway: Parameters<typeof isHttpRouteReady>[1],
  world: World,
): Cause | undefined {
  const route = itemsOf(world.httpRoutes).find((candidate) => isOwnedBy(candidate.metadata?.ownerReferences, uid));
  if (route === undefined || isHttpRouteReady(route, gateway)) return undefined;
  const name = route.metadata?.name ?? '';
  const object = { kind: 'HTTPRoute', name, namespace: ref.namespace };
  const backends = (route.spec?.rules ?? []).flatMap(({ backendRefs = [] }) =>
    backendRefs.map((backend) => backend.name),
  );
  const absent = backends.find(
    (backend) => world.services.kind === 'seen' && find(world.services, ref.namespace, backend) === undefined,
  );
  const bad = (route.status?.parents ?? [])
    .flatMap(({ conditions = [] }) => conditions)
    .find(({ status }) => status !== 'True');
  const text = brief(bad?.message) || 'the Gateway has not answered yet';
  if (absent !== undefined)
    return {
      code: 'RouteBackendMissing',
      object,
      sentence: `HTTPRoute ${name} sends traffic to Service ${absent}, which does not exist`,
      evidence: [{ object, source: 'spec.rules.backendRefs', text: absent }],
      action: 'Wait for the operator to create it; if it lasts, read the events of the RayService.',
    };
  return {
    code: 'RouteNotAccepted',
    object,
    sentence: `the Gateway does not accept HTTPRoute ${name}: ${text}`,
    evidence: [{ object, source: `status.parents.conditions[${bad?.type ?? 'Accepted'}]`, text }],
    action: 'Read the status of the HTTPRoute and the log of the Gateway controller.',
  };
}

function isOwnedBy(owners: readonly { readonly uid: string }[] | undefined, uid: string | undefined): boolean {
  return owners?.some((owner) => owner.uid === uid) ?? false;
}
