import type { Pod, RayJob } from '@manta/api';
import { Link } from 'wouter';
import { duration } from '../format/duration.ts';
import { hasLog } from '../format/pod-state.ts';
import { pagePath } from '../live/pages.ts';
import { useLive } from '../live/use-live.ts';
import type { LogSource } from '../live/use-log.ts';
import { Facts } from '../parts/facts.tsx';
import { LogView } from '../parts/log-view.tsx';
import { RelativeTime, useNow } from '../parts/relative-time.tsx';
import { Stages } from '../parts/stages.tsx';
import { ObjectPage } from './object-page.tsx';

/** One RayJob: cause, stages, attempts and log. */
export function JobPage({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const { objects } = useLive();
  const now = useNow();
  const cluster = objects.RayJob.get(`${namespace}/${name}`)?.status?.rayClusterName ?? '';
  const pods = [...objects.Pod.values()].filter(
    ({ metadata }) =>
      metadata?.namespace === namespace &&
      ((cluster !== '' && metadata.labels?.['ray.io/cluster'] === cluster) || metadata.labels?.['job-name'] === name),
  );
  const containers = pods
    .filter(hasLog)
    .toSorted((a, b) => Number(isHead(b)) - Number(isHead(a)))
    .flatMap(({ metadata, spec }) =>
      (spec?.containers ?? []).map(({ name: container }) => ({
        kind: 'container' as const,
        namespace,
        pod: metadata?.name ?? '',
        container,
      })),
    );
  const sources: readonly LogSource[] =
    containers.length === 0 ? [] : [{ kind: 'job', namespace, name }, ...containers];
  const clusterUid = objects.RayCluster.get(`${namespace}/${cluster}`)?.metadata?.uid ?? '';
  return (
    <ObjectPage
      kind="RayJob"
      namespace={namespace}
      name={name}
      now={now}
      relatedUids={[clusterUid, ...pods.map(({ metadata }) => metadata?.uid ?? '')]}
    >
      {(job) => (
        <>
          <Facts
            facts={[
              [
                'Entrypoint',
                <code key="entrypoint" className="mono">
                  {job.spec?.entrypoint ?? '–'}
                </code>,
              ],
              [
                'Cluster',
                cluster === '' ? (
                  '–'
                ) : (
                  <Link key="cluster" href={pagePath('RayCluster', namespace, cluster)}>
                    {cluster}
                  </Link>
                ),
              ],
              ['Started', <RelativeTime key="started" at={job.status?.startTime} now={now} />],
              ['Took', took(job, now)],
            ]}
          />
          <div className="grid">
            <Stages job={job} pods={pods} now={now} />
            <Attempts job={job} now={now} />
          </div>
          {sources.length === 0 ? (
            <section className="panel">
              <header>
                <h2>Log</h2>
              </header>
              <p className="empty">
                {pods.length === 0 ? 'No pod of this job exists, so there is no log.' : 'No container has started yet.'}
              </p>
            </section>
          ) : (
            <LogView sources={sources} />
          )}
        </>
      )}
    </ObjectPage>
  );
}

function isHead({ metadata }: Pod): boolean {
  return metadata?.labels?.['ray.io/node-type'] === 'head';
}

function took({ status }: RayJob, now: number): string {
  if (status?.startTime === undefined) return '–';
  return duration((status.endTime === undefined ? now : Date.parse(status.endTime)) - Date.parse(status.startTime));
}

const TONES: Readonly<Record<string, readonly [tone: string, icon: string]>> = {
  Succeeded: ['ok', '✓'],
  Failed: ['bad', '✕'],
  Lost: ['warn', '↻'],
  Stopped: ['idle', '–'],
  Suspended: ['idle', '–'],
};

function Attempts({ job, now }: { readonly job: RayJob; readonly now: number }) {
  const { attempts = [] } = job.status ?? {};
  const most = (job.spec?.backoffLimit ?? 0) + 1;
  return (
    <section className="panel">
      <header>
        <h2>Attempts</h2>
        <span className="dim">
          {attempts.length} of at most {most}
        </span>
      </header>
      {attempts.length === 0 ? (
        <p className="empty">No attempt has been recorded yet.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>#</th>
              <th>Outcome</th>
              <th className="num">Took</th>
              <th>Why</th>
            </tr>
          </thead>
          <tbody>
            {attempts.toReversed().map(({ number, outcome, startTime, endTime, reason }) => {
              const [tone, icon] = TONES[outcome ?? ''] ?? ['run', '▸'];
              return (
                <tr key={number}>
                  <td>{number}</td>
                  <td>
                    <span className={`state ${tone}`}>
                      {icon} {outcome ?? 'Running'}
                    </span>
                  </td>
                  <td className="num">
                    {duration((endTime === undefined ? now : Date.parse(endTime)) - Date.parse(startTime))}
                  </td>
                  <td>{reason}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}
