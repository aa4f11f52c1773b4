import type { RayService } from '@manta/api';
import { Link } from 'wouter';
import { Conditions } from '../parts/conditions.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { ObjectPage } from './object-page.tsx';

type Serving = NonNullable<NonNullable<RayService['status']>['activeServiceStatus']>;

/** One RayService: its clusters with their share of the traffic, and its applications. */
export function ServicePage({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const now = useNow();
  return (
    <ObjectPage kind="RayService" namespace={namespace} name={name} now={now} relatedUids={[]}>
      {(object) => {
        const { status } = object;
        const clusters = [
          ['Active', status?.activeServiceStatus],
          ['Pending', status?.pendingServiceStatus],
        ] as const;
        return (
          <>
            <Weights active={status?.activeServiceStatus} pending={status?.pendingServiceStatus} />
            <div className="grid">
              <section className="panel">
                <header>
                  <h2>Applications</h2>
                </header>
                <table>
                  <thead>
                    <tr>
                      <th>Cluster</th>
                      <th>Application</th>
                      <th>State</th>
                      <th>Message</th>
                    </tr>
                  </thead>
                  <tbody>
                    {clusters.flatMap(([role, serving]) =>
                      Object.entries(serving?.applicationStatuses ?? {}).map(
                        ([application, { status: state, message }]) => (
                          <tr key={`${role}/${application}`}>
                            <td>
                              <Link href={`/clusters/${namespace}/${serving?.rayClusterName ?? ''}`}>{role}</Link>
                            </td>
                            <td>{application}</td>
                            <td>
                              <span
                                className={`state ${state === 'RUNNING' ? 'ok' : state === 'DEPLOYING' ? 'run' : 'bad'}`}
                              >
                                {state === 'RUNNING' ? '✓' : state === 'DEPLOYING' ? '▸' : '✕'} {state}
                              </span>
                            </td>
                            <td className="mono">{message}</td>
                          </tr>
                        ),
                      ),
                    )}
                  </tbody>
                </table>
              </section>
              <Conditions conditions={status?.conditions ?? []} now={now} />
            </div>
          </>
        );
      }}
    </ObjectPage>
  );
}

/** Which cluster serves which share of the requests. Without an incremental upgrade, the active cluster serves all. */
function Weights({ active, pending }: { readonly active: Serving | undefined; readonly pending: Serving | undefined }) {
  const toPending = pending?.trafficRoutedPercent ?? 0;
  const toActive = active?.trafficRoutedPercent ?? 100 - toPending;
  if ((active?.rayClusterName ?? '') === '' && (pending?.rayClusterName ?? '') === '') return null;
  return (
    <section className="panel">
      <header>
        <h2>Traffic</h2>
        <span className="dim">
          {(pending?.rayClusterName ?? '') === '' ? 'no upgrade in progress' : 'upgrade in progress'}
        </span>
      </header>
      <div className="body groups">
        <div
          className="weights"
          role="img"
          aria-label={`active cluster ${toActive} percent, pending cluster ${toPending} percent`}
        >
          {toActive > 0 ? (
            <i style={{ flexGrow: toActive }}>
              {active?.rayClusterName} {toActive}%
            </i>
          ) : null}
          {toPending > 0 ? (
            <i style={{ flexGrow: toPending }}>
              {pending?.rayClusterName} {toPending}%
            </i>
          ) : null}
        </div>
        {(pending?.rayClusterName ?? '') === '' ? null : (
          <span className="dim">
            Pending cluster {pending?.rayClusterName}: target capacity {pending?.targetCapacity ?? 100}%, traffic{' '}
            {toPending}%.
          </span>
        )}
      </div>
    </section>
  );
}
