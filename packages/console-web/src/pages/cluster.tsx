import type { Pod, RayCluster } from '@manta/api';
import { useState } from 'react';
import type { ObjectState } from '../format/object-state.ts';
import { useLive } from '../live/use-live.ts';
import { Conditions } from '../parts/conditions.tsx';
import { LogView } from '../parts/log-view.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { ObjectPage } from './object-page.tsx';

/** One RayCluster: its groups with their pods, conditions, and the log of a chosen pod. */
export function ClusterPage({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const { objects } = useLive();
  const now = useNow();
  const [chosen, choose] = useState('');
  const pods = [...objects.Pod.values()].filter(
    ({ metadata }) => metadata?.namespace === namespace && metadata.labels?.['ray.io/cluster'] === name,
  );
  const shown =
    pods.find(({ metadata }) => metadata?.name === chosen) ??
    pods.find(({ metadata }) => metadata?.labels?.['ray.io/node-type'] === 'head');
  return (
    <ObjectPage
      kind="RayCluster"
      namespace={namespace}
      name={name}
      now={now}
      relatedUids={pods.map(({ metadata }) => metadata?.uid ?? '')}
    >
      {(object) => (
        <>
          <div className="grid">
            <Groups cluster={object} pods={pods} chosen={shown?.metadata?.name ?? ''} onChoose={choose} />
            <Conditions conditions={object.status?.conditions ?? []} now={now} />
          </div>
          {shown === undefined || !hasStarted(shown) ? null : (
            <LogView
              namespace={namespace}
              pod={shown.metadata?.name ?? ''}
              container={shown.spec?.containers?.[0]?.name ?? ''}
            />
          )}
        </>
      )}
    </ObjectPage>
  );
}

interface GroupsProps {
  readonly cluster: RayCluster;
  readonly pods: readonly Pod[];
  readonly chosen: string;
  readonly onChoose: (pod: string) => void;
}

function Groups({ cluster, pods, chosen, onChoose }: GroupsProps) {
  const groups = [
    { title: 'head', wanted: 1, of: pods.filter(({ metadata }) => metadata?.labels?.['ray.io/node-type'] === 'head') },
    ...(cluster.spec?.workerGroupSpecs ?? []).map(({ groupName, replicas = 0, numOfHosts = 1 }) => ({
      title: groupName,
      wanted: replicas * numOfHosts,
      of: pods.filter(
        ({ metadata }) =>
          metadata?.labels?.['ray.io/node-type'] === 'worker' && metadata.labels['ray.io/group'] === groupName,
      ),
    })),
  ];
  return (
    <section className="panel">
      <header>
        <h2>Pods</h2>
        <span className="dim">choose one to read its log</span>
      </header>
      <div className="body groups">
        {groups.map(({ title, wanted, of }) => (
          <div key={title}>
            <h2>
              {title}{' '}
              <span className="dim">
                {of.length} of {wanted}
              </span>
            </h2>
            <div className="pods">
              {of.map((pod) => (
                <button
                  type="button"
                  key={pod.metadata?.uid}
                  className="pod"
                  aria-pressed={pod.metadata?.name === chosen}
                  onClick={() => onChoose(pod.metadata?.name ?? '')}
                >
                  <span>{pod.metadata?.name}</span>
                  <span>
                    <StateBadge state={podState(pod)} />{' '}
                    <span className="dim">{pod.spec?.nodeName ?? 'no node yet'}</span>
                  </span>
                </button>
              ))}
              {of.length === 0 ? <span className="dim">no pods</span> : null}
            </div>
          </div>
        ))}
      </div>
    </section>
  );
}

/** Before its container has started, a pod has no log. */
function hasStarted({ status }: Pod): boolean {
  return (
    status?.containerStatuses?.some(({ state, restartCount }) => state?.waiting === undefined || restartCount > 0) ===
    true
  );
}

/** A pod's state as `kubectl get pods` would say it. */
function podState({ metadata, status }: Pod): ObjectState {
  if (metadata?.deletionTimestamp !== undefined) return { word: 'Terminating', tone: 'idle' };
  const waiting = status?.containerStatuses?.find(({ state }) => state?.waiting?.reason !== undefined)?.state?.waiting
    ?.reason;
  if (waiting !== undefined && waiting !== 'ContainerCreating' && waiting !== 'PodInitializing')
    return { word: waiting, tone: 'bad' };
  if (status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true)
    return { word: 'Ready', tone: 'ok' };
  if (status?.phase === 'Failed') return { word: status.reason ?? 'Failed', tone: 'bad' };
  return { word: waiting ?? status?.phase ?? 'Pending', tone: status?.phase === 'Pending' ? 'warn' : 'run' };
}
