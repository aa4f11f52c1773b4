import { useState } from 'react';
import type { Pod } from '@manta/api';
import { GroupMap } from '../cluster/group-map.tsx';
import { Demand, Nodes } from '../cluster/resources.tsx';
import { hasLog } from '../format/pod-state.ts';
import { evict } from '../live/api.ts';
import { useLive } from '../live/use-live.ts';
import { Conditions } from '../parts/conditions.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { LogView } from '../parts/log-view.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { useAction } from '../parts/use-action.ts';
import { useQueryParam } from '../parts/use-query-param.ts';
import { ObjectPage } from './object-page.tsx';

/** One RayCluster: its groups with their pods and nodes, resources, conditions, and the log of a chosen pod. */
export function ClusterPage({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const { objects } = useLive();
  const now = useNow();
  const [chosen, choose] = useQueryParam('pod');
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
          <GroupMap cluster={object} pods={pods} now={now} chosen={shown?.metadata?.name ?? ''} onChoose={choose} />
          {shown === undefined ? null : <ChosenPod key={shown.metadata?.uid} pod={shown} />}
          <div className="grid half">
            <Demand target={{ kind: 'RayCluster', namespace, name }} />
            <Nodes pods={pods} />
          </div>
          <Conditions conditions={object.status?.conditions ?? []} now={now} />
        </>
      )}
    </ObjectPage>
  );
}

function ChosenPod({ pod }: { readonly pod: Pod }) {
  const { namespace = '', name = '' } = pod.metadata ?? {};
  const { problem, isBusy, run } = useAction();
  const [isAsking, setAsking] = useState(false);
  const containers = (pod.spec?.containers ?? []).map((each) => each.name);
  const replace = (
    <button type="button" disabled={isBusy} onClick={() => setAsking(true)}>
      Replace pod
    </button>
  );
  return (
    <>
      {problem === '' ? null : (
        <p className="banner bad" role="alert">
          {problem}
        </p>
      )}
      {hasLog(pod) ? (
        <LogView
          sources={containers.map((container) => ({ kind: 'container' as const, namespace, pod: name, container }))}
          actions={replace}
        />
      ) : (
        <section className="panel">
          <header>
            <h2>
              Log <span className="dim">{name}</span>
            </h2>
            {replace}
          </header>
          <p className="empty">The containers of this pod have not started, so there is no log yet.</p>
        </section>
      )}
      {isAsking ? (
        <ConfirmDialog
          title={`Replace ${name}?`}
          action="Replace pod"
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            run(() => evict(namespace, name));
          }}
        >
          <p>
            The pod is evicted, as far as disruption budgets allow it. Tasks and actors on it are lost; the operator
            creates another pod.
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
