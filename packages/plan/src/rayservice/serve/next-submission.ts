import type { DesiredConfig, HeadMemory } from '../memory.ts';
import type { ParsedServeConfig, ServeAnswer, ServiceCluster } from '../observed.ts';
import { type AssignedCluster, isMigratingTraffic, type ServiceState } from '../service-state.ts';
import { hasFailedUpgrade } from '../upgrade/progress-deadline.ts';

/** What to do about the Serve configuration of one cluster. */
export type NextSubmission =
  | { readonly kind: 'none' }
  /** The desired configuration must not be sent; the running applications stay. */
  | { readonly kind: 'refused'; readonly why: string; readonly configProblem: string }
  /** Record this capacity in the status without a PUT. */
  | { readonly kind: 'assumed'; readonly capacity: number }
  | { readonly kind: 'send'; readonly desired: DesiredConfig; readonly isCapacityOnly: boolean };

export const NO_APPLICATIONS = 'serveConfigV2 lists no applications';

/** Everything that the rules below look at. */
interface Facts {
  readonly state: ServiceState;
  readonly cluster: AssignedCluster;
  readonly serve: Extract<ServeAnswer, { kind: 'known' }>;
  readonly head: HeadMemory;
  /** The wanted `target_capacity`. */
  readonly capacity: number | undefined;
  /** `target_capacity` has to change. */
  readonly isCapacityDue: boolean;
  /** Serve reports no application: it is new, or its head restarted. */
  readonly isServeEmpty: boolean;
  readonly text: string;
  /** The head has not accepted the desired configuration yet. */
  readonly isTextNew: boolean;
}

type Rule = (facts: Facts) => NextSubmission | undefined;

const NONE: NextSubmission = { kind: 'none' };

/** The first rule that gives an answer decides. */
const RULES: readonly Rule[] = [
  recordCapacityThatWasAccepted,
  keepAcceptedConfig,
  doNothingWhenUpToDate,
  repeatAcceptedConfigWhileParsing,
  refuseUnreadableConfig,
  refuseToRemoveAllApplications,
  sendConfig,
  sendCapacity,
];

export function nextSubmission(
  state: ServiceState,
  cluster: AssignedCluster,
  { serve }: ServiceCluster,
  head: HeadMemory,
  capacity: number | undefined,
): NextSubmission {
  // Nothing is sent to a head that does not answer. An answer from before the last PUT does not show what the PUT changed.
  if (serve.kind !== 'known' || serve.at < (head.accepted?.at ?? 0)) return NONE;
  const { serveConfigV2: text = '' } = state.spec;
  const facts: Facts = {
    state,
    cluster,
    serve,
    head,
    capacity,
    isCapacityDue: capacity !== undefined && capacity !== (head.accepted?.capacity ?? cluster.status.targetCapacity),
    isServeEmpty: Object.keys(serve.applications).length === 0,
    text,
    isTextNew: head.accepted?.text !== text,
  };
  for (const rule of RULES) {
    const next = rule(facts);
    if (next !== undefined) return next;
  }
  return NONE;
}

/** The status write that should have recorded the capacity was lost. */
function recordCapacityThatWasAccepted({ head, cluster, capacity }: Facts): NextSubmission | undefined {
  const isAccepted = capacity !== undefined && capacity === head.accepted?.capacity;
  return isAccepted && capacity !== cluster.status.targetCapacity ? { kind: 'assumed', capacity } : undefined;
}

/**
 * A cluster that loses traffic gets its own configuration again when its head restarts, and its capacity steps. If neither the operator nor
 * Serve knows that configuration, the capacity is left alone; an empty Serve then gets the desired configuration like any other cluster.
 */
function keepAcceptedConfig(facts: Facts): NextSubmission | undefined {
  const { state, cluster, serve, head, capacity, isCapacityDue, isServeEmpty } = facts;
  if (!keepsAcceptedConfig(state, cluster)) return undefined;
  const known = head.accepted ?? head.acceptedBeforeRestart;
  if (isServeEmpty && known !== undefined) {
    return { kind: 'send', desired: { ...known, capacity }, isCapacityOnly: false };
  }
  if (!isServeEmpty && !isCapacityDue) return NONE;
  const config = known?.config ?? serve.config;
  if (config !== undefined) {
    return { kind: 'send', desired: { text: known?.text ?? '', config, capacity }, isCapacityOnly: isCapacityDue };
  }
  if (isServeEmpty) return undefined;
  return isCapacityDue && capacity !== undefined ? { kind: 'assumed', capacity } : NONE;
}

/** Whether a cluster keeps the configuration that it accepted, whatever the spec says: it is the cluster that loses the traffic. */
export function keepsAcceptedConfig(state: ServiceState, { role }: AssignedCluster): boolean {
  if (role === 'active' && hasFailedUpgrade(state)) return true;
  // All traffic switches at once: until then the active cluster serves the old configuration.
  if (role === 'active' && state.strategy.kind !== 'incremental' && state.pending.name !== '') return true;
  if (!isMigratingTraffic(state)) return false;
  return role === 'active' ? !state.isRollingBack : state.isRollingBack;
}

function doNothingWhenUpToDate({ isTextNew, isServeEmpty, isCapacityDue }: Facts): NextSubmission | undefined {
  return isTextNew || isServeEmpty || isCapacityDue ? undefined : NONE;
}

/** The new configuration is not known yet. A head that restarted gets the one that it accepted before, and capacity steps go on with it. */
function repeatAcceptedConfigWhileParsing(facts: Facts): NextSubmission | undefined {
  const { state, head, capacity, isServeEmpty, isCapacityDue } = facts;
  if (!state.serveConfig.isPending) return undefined;
  const known = head.accepted ?? head.acceptedBeforeRestart;
  if (known === undefined || !(isServeEmpty || isCapacityDue)) return NONE;
  return { kind: 'send', desired: { ...known, capacity }, isCapacityOnly: !isServeEmpty };
}

function refuseUnreadableConfig({ state: { serveConfig } }: Facts): NextSubmission | undefined {
  if (serveConfig.ok || serveConfig.isPending) return undefined;
  const { error: why } = serveConfig;
  return { kind: 'refused', why, configProblem: `serveConfigV2 cannot be read: ${why}` };
}

/** Serve would delete every running application. A user who wants that suspends the service. */
function refuseToRemoveAllApplications({ state, isServeEmpty }: Facts): NextSubmission | undefined {
  if (isServeEmpty || !listsNoApplications(state.serveConfig)) return undefined;
  return { kind: 'refused', why: `${NO_APPLICATIONS}; those that run go on`, configProblem: NO_APPLICATIONS };
}

/** One change at a time: a new configuration is sent at the capacity that the cluster has, and a capacity step comes afterwards. */
function sendConfig({ state, cluster, text, capacity, isTextNew, isServeEmpty }: Facts): NextSubmission | undefined {
  const { serveConfig } = state;
  if (!serveConfig.ok || (!isTextNew && !isServeEmpty)) return undefined;
  const desired = { text, config: serveConfig.value, capacity: cluster.status.targetCapacity ?? capacity };
  return { kind: 'send', desired, isCapacityOnly: false };
}

function sendCapacity({ state: { serveConfig }, text, capacity, isCapacityDue }: Facts): NextSubmission | undefined {
  if (!serveConfig.ok) return undefined;
  return { kind: 'send', desired: { text, config: serveConfig.value, capacity }, isCapacityOnly: isCapacityDue };
}

export function listsNoApplications(config: ParsedServeConfig): boolean {
  const applications = config.ok ? config.value['applications'] : undefined;
  return config.ok && (!Array.isArray(applications) || applications.length === 0);
}
