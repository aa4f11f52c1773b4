import { isRecord, isSameJson } from '@manta/api';
import type { AcceptedConfig, HeadMemory } from '../memory.ts';
import type { ServiceCluster } from '../observed.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';
import { areApplicationsRunning } from './serving.ts';

type Config = Readonly<Record<string, unknown>>;

/** Fields that Serve reads only when it starts: a running Serve ignores them. */
const READ_AT_START = ['http_options', 'grpc_options', 'proxy_location'];

/**
 * The desired configuration, if Serve reports that it already runs it and the operator remembers nothing of the head: after a restart of the
 * operator, or after a migration from KubeRay. Sending it again would redeploy every application.
 */
export function alreadyDeployed(
  { spec, serveConfig }: ServiceState,
  { status }: AssignedCluster,
  view: ServiceCluster,
  { accepted, inFlight, acceptedBeforeRestart, refusal }: HeadMemory,
): AcceptedConfig | undefined {
  const isRemembered = [accepted, inFlight, acceptedBeforeRestart, refusal].some((each) => each !== undefined);
  const { serve } = view;
  if (isRemembered || !serveConfig.ok || serve.kind !== 'known' || !areApplicationsRunning(view)) return undefined;
  const { targetCapacity: capacity } = status;
  if (serve.config === undefined || (serve.capacity ?? 100) !== (capacity ?? 100)) return undefined;
  if (!isSameConfig(serveConfig.value, serve.config)) return undefined;
  return { text: spec.serveConfigV2 ?? '', config: serveConfig.value, capacity, at: serve.at };
}

function isSameConfig(desired: Config, deployed: Config): boolean {
  const { applications, ...rest } = desired;
  const isComparable = Object.keys(rest).every((key) => READ_AT_START.includes(key));
  return isComparable && isSameJson(byName(applications), byName(deployed['applications']));
}

/** Serve does not keep the order of applications. */
function byName(applications: unknown): readonly unknown[] {
  const all: readonly unknown[] = Array.isArray(applications) ? applications : [];
  const nameOf = (each: unknown) => (isRecord(each) && typeof each['name'] === 'string' ? each['name'] : '');
  return all.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
