import { desiredPods, type Pod, type RayCluster } from '@manta/api';
import { ago } from '../format/duration.ts';
import { requestsOf } from '../format/amounts.ts';
import { podState } from '../format/pod-state.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { ScaleGroup } from './scale-group.tsx';

export interface GroupMapProps {
  readonly cluster: RayCluster;
  readonly pods: readonly Pod[];
  readonly now: number;
  readonly chosen: string;
  readonly onChoose: (pod: string) => void;
}

interface Group {
  readonly name: string;
  readonly wanted: number;
  readonly pods: readonly Pod[];
  /** Index in `spec.workerGroupSpecs`; absent for the head. */
  readonly index?: number;
}

/** The picture of a cluster: its groups, their pods, and the node that each is on. */
export function GroupMap({ cluster, pods, now, chosen, onChoose }: GroupMapProps) {
  return (
    <section className="panel" aria-label="Pods">
      <header>
        <h2>Groups and pods</h2>
        <span className="dim">choose a pod to see its log</span>
      </header>
      {groupsOf(cluster, pods).map(({ name, wanted, pods: own, index }) => (
        <div key={name} className="group">
          <div className="group-head">
            <span>
              <b>{name}</b>
              <div className="dim small">
                {own.filter((pod) => podState(pod).tone === 'ok').length} of {wanted} ready
              </div>
              {own[0] === undefined ? null : <div className="dim small">{requestsOf(own[0])}</div>}
            </span>
            {index === undefined ? null : <ScaleGroup cluster={cluster} index={index} />}
          </div>
          <div className="pods">
            {own.map((pod) => {
              const state = podState(pod);
              const podName = pod.metadata?.name ?? '';
              return (
                <button
                  type="button"
                  key={pod.metadata?.uid}
                  className={`pod ${state.tone}`}
                  aria-pressed={podName === chosen}
                  title={podName}
                  onClick={() => onChoose(podName)}
                >
                  <span className="row">
                    <b>{shortName(podName, cluster)}</b>
                    <StateBadge state={state} />
                  </span>
                  <span className="dim">
                    {pod.spec?.nodeName ?? 'no node yet'} ·{' '}
                    {ago(Date.parse(pod.metadata?.creationTimestamp ?? ''), now)}
                  </span>
                </button>
              );
            })}
            {own.length === 0 ? <span className="dim">{wanted === 0 ? 'No pods wanted.' : 'No pods yet.'}</span> : null}
          </div>
        </div>
      ))}
    </section>
  );
}

function groupsOf(cluster: RayCluster, pods: readonly Pod[]): readonly Group[] {
  const isOf = (group: string) => (pod: Pod) =>
    pod.metadata?.labels?.['ray.io/node-type'] === 'worker' && pod.metadata.labels['ray.io/group'] === group;
  const isHead = (pod: Pod) => pod.metadata?.labels?.['ray.io/node-type'] === 'head';
  const isSuspended = cluster.spec?.suspend === true;
  const specs = cluster.spec?.workerGroupSpecs ?? [];
  const known = new Set(specs.map(({ groupName }) => groupName));
  const former = new Set(
    pods
      .filter((pod) => !isHead(pod))
      .map((pod) => pod.metadata?.labels?.['ray.io/group'] ?? '')
      .filter((name) => !known.has(name)),
  );
  return [
    { name: 'head', wanted: isSuspended ? 0 : 1, pods: pods.filter(isHead) },
    ...specs.map((spec, index) => ({
      name: spec.groupName,
      wanted: isSuspended ? 0 : desiredPods(spec),
      pods: pods.filter(isOf(spec.groupName)),
      index,
    })),
    ...[...former].map((name) => ({ name: `${name} (removed)`, wanted: 0, pods: pods.filter(isOf(name)) })),
  ];
}

/** Pod names begin with that of their cluster, which the page shows already. */
function shortName(pod: string, { metadata }: RayCluster): string {
  const prefix = `${metadata?.name ?? ''}-`;
  return pod.startsWith(prefix) ? pod.slice(prefix.length) : pod;
}
