import { isRecord, isSameJson } from '@manta/api';
import type { HeadMemory, ServiceCluster, AcceptedConfig } from '../observed.ts';
import { areApplicationsRunning } from './serving.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';

type Config = Readonly<Record<string, unknown>>;

/** What Serve reads from a configuration only when it starts: the value that a running Serve is sent has no effect. */
const READ_AT_START = ['http_options', 'grpc_options', 'proxy_location'];

/**
 * The wanted configuration as taken, where nothing is remembered of the head and Serve reports that it runs exactly this configuration:
 * after a restart of the operator, or when the service was another operator's. Sending it again would make every application deploy again.
 */
export function alreadyDeployed(
  { spec, serveConfig }: ServiceState,
  { status }: AssignedCluster,
  view: ServiceCluster,
  { taken, sent, last, refusal }: HeadMemory,
): AcceptedConfig | undefined {
  const isRemembered = [taken, sent, last, refusal].some((each) => each !== undefined);
  const { serve } = view;
  if (isRemembered || !serveConfig.ok || serve.kind !== 'known' || !areApplicationsRunning(view)) return undefined;
  const { targetCapacity: capacity } = status;
  if (serve.config === undefined || (serve.capacity ?? 100) !== (capacity ?? 100)) return undefined;
  if (!isSameConfig(serveConfig.value, serve.config)) return undefined;
  return { text: spec.serveConfigV2 ?? '', config: serveConfig.value, capacity, at: serve.at };
}

function isSameConfig(wanted: Config, deployed: Config): boolean {
  const { applications, ...rest } = wanted;
  const isComparable = Object.keys(rest).every((key) => READ_AT_START.includes(key));
  return isComparable && isSameJson(byName(applications), byName(deployed['applications']));
}

/** Serve does not keep the order of applications. */
function byName(applications: unknown): readonly unknown[] {
  const all: readonly unknown[] = Array.isArray(applications) ? applications : [];
  const nameOf = (each: unknown) => (isRecord(each) && typeof each['name'] === 'string' ? each['name'] : '');
  return all.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
