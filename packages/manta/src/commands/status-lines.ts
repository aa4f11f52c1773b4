import type { Pod } from '@manta/api';
import type { EngineRecord, NodeLoadSummary, Room } from '@manta/local';

/** What `manta status` asks the engine. */
export interface EngineState {
  readonly pods: readonly Pod[];
  readonly load: NodeLoadSummary;
}

/** The lines of `manta status`; `state` is an error's message if the engine did not answer. */
export function statusLines(running: EngineRecord, dataDir: string, state: EngineState | string): readonly string[] {
  const { router, console: link, log, node, dashboards = [] } = running;
  return [
    `running since ${running.startedAt}`,
    `process:        ${running.pid}`,
    `API:            ${running.url}`,
    `kubeconfig:     ${running.kubeconfig}`,
    `data directory: ${dataDir}`,
    ...(log === undefined ? [] : [`log:            ${log}`]),
    `isolation:      ${running.pods ?? 'no pods are run (--no-pods)'}`,
    ...(node === undefined ? [] : [`capacity:       ${node}`]),
    ...(router === undefined ? [] : [`router:         ${router}`]),
    ...(link === undefined ? [] : [`console:        ${link} (this link works once)`]),
    ...dashboards.map(({ cluster, url }) => `ray dashboard:  ${url} (RayCluster ${cluster})`),
    ...(typeof state === 'string' ? [`The engine does not answer: ${state}`] : stateLines(state)),
  ];
}

function stateLines({ pods, load: { cpus, memory } }: EngineState): readonly string[] {
  return [
    ...(cpus.total === 0 ? [] : [`free:           ${amount(cpus, 1)} CPUs, ${amount(memory, 2 ** 30)} GiB of memory`]),
    `pods:           ${pods.length === 0 ? 'none' : counts(pods)}`,
    ...podTable(pods).map((line) => `  ${line}`),
  ];
}

function amount({ total, free }: Room, unit: number): string {
  return `${rounded(free / unit)} of ${rounded(total / unit)}`;
}

function rounded(value: number): number {
  return Number(value.toFixed(1));
}

function counts(pods: readonly Pod[]): string {
  const byPhase = Map.groupBy(pods, ({ status: { phase = 'Pending' } = {} }) => phase);
  const restarts = pods.reduce((sum, pod) => sum + restartsOf(pod), 0);
  const phases = [...byPhase].map(([phase, all]) => `${all.length} ${phase}`);
  return `${phases.join(', ')}; ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`;
}

const HEADER = ['NAMESPACE/NAME', 'READY', 'STATUS', 'RESTARTS'];

function podTable(pods: readonly Pod[]): readonly string[] {
  if (pods.length === 0) return [];
  const rows = [HEADER, ...pods.map(rowOf)];
  const widths = HEADER.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function rowOf(pod: Pod): readonly string[] {
  const { metadata, status: { phase = 'Pending', containerStatuses = [], reason } = {} } = pod;
  const waiting = containerStatuses.find(({ state }) => state?.waiting !== undefined)?.state?.waiting?.reason;
  const isEnding = metadata?.deletionTimestamp !== undefined;
  const ready = `${containerStatuses.filter((each) => each.ready).length}/${pod.spec?.containers?.length ?? 0}`;
  const word = isEnding ? 'Terminating' : (reason ?? waiting ?? phase);
  return [`${metadata?.namespace}/${metadata?.name}`, ready, word, String(restartsOf(pod))];
}

function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
}
