import type { Node, Pod } from '@manta/api';
import { type RayRef, summary } from '@manta/insight';
import { useMemo } from 'react';
import { numberOf, requested, resourceTitle } from '../format/amounts.ts';
import { useLive } from '../live/use-live.ts';
import { worldOf } from '../live/world.ts';

/** What the cluster's pods request, and what waits for a node: the demand that the autoscaler of the nodes sees. */
export function Demand({ target: { kind, namespace, name } }: { readonly target: RayRef }) {
  const live = useLive();
  const { resources } = useMemo(
    () => summary(worldOf(live, 0), { kind, namespace, name }),
    [live, kind, namespace, name],
  );
  return (
    <section className="panel">
      <header>
        <h2>Resources</h2>
        <span className="dim">requested by its pods</span>
      </header>
      <table>
        <thead>
          <tr>
            <th>Resource</th>
            <th className="num">Requested</th>
            <th className="num">Waiting for a node</th>
            <th className="num">All nodes have</th>
          </tr>
        </thead>
        <tbody>
          {resources.map(({ resource, requested: asked, waiting, allocatable }) => (
            <tr key={resource}>
              <td>{resourceTitle(resource)}</td>
              <td className="num">{asked}</td>
              <td className="num">{numberOf(waiting) > 0 ? <span className="state warn">! {waiting}</span> : '0'}</td>
              <td className="num dim">{allocatable ?? 'not readable'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The nodes that the pods are on, and how full Ray pods make them. */
export function Nodes({ pods }: { readonly pods: readonly Pod[] }) {
  const { objects } = useLive();
  const own = new Map<string, number>();
  for (const { spec } of pods)
    if (spec?.nodeName !== undefined) own.set(spec.nodeName, (own.get(spec.nodeName) ?? 0) + 1);
  const all = [...objects.Pod.values()];
  return (
    <section className="panel">
      <header>
        <h2>Nodes</h2>
        <span className="dim">requests of all Ray pods you may see</span>
      </header>
      {own.size === 0 ? (
        <p className="empty">No pod has a node yet.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>Node</th>
              <th className="num">Pods here</th>
              <th>CPU</th>
              <th>GPU</th>
            </tr>
          </thead>
          <tbody>
            {[...own]
              .toSorted(([a], [b]) => a.localeCompare(b))
              .map(([name, count]) => {
                const node = objects.Node.get(`/${name}`);
                const there = all.filter(({ spec }) => spec?.nodeName === name);
                return (
                  <tr key={name}>
                    <td>{name}</td>
                    <td className="num">{count}</td>
                    <td>
                      <Fill node={node} pods={there} resource="cpu" />
                    </td>
                    <td>
                      <Fill node={node} pods={there} resource="nvidia.com/gpu" />
                    </td>
                  </tr>
                );
              })}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Fill({
  node,
  pods,
  resource,
}: {
  readonly node: Node | undefined;
  readonly pods: readonly Pod[];
  readonly resource: string;
}) {
  const total = numberOf(node?.status?.allocatable?.[resource]);
  const used = pods
    .filter(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded')
    .reduce((sum, pod) => sum + requested(pod, resource), 0);
  if (total === 0) return <span className="dim">{used === 0 ? '–' : used}</span>;
  return (
    <span className="fill">
      <span className="meter" aria-hidden="true">
        <i style={{ width: `${Math.min(100, (100 * used) / total)}%` }} />
      </span>
      {used} of {total}
    </span>
  );
}
