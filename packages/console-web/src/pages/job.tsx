import type { Pod, RayJob } from '@manta/api';
import { Link } from 'wouter';
import { duration } from '../format/duration.ts';
import { stagesOf } from '../format/job-stages.ts';
import { useLive } from '../live/use-live.ts';
import { LogView } from '../parts/log-view.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { ObjectPage } from './object-page.tsx';

/** One RayJob: cause, stages, attempts and log. */
export function JobPage({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const { objects } = useLive();
  const now = useNow();
  const pods = [...objects.Pod.values()].filter(({ metadata }) => metadata?.namespace === namespace);
  const job = objects.RayJob.get(`${namespace}/${name}`);
  const cluster = job?.status?.rayClusterName ?? '';
  const own = pods.filter(
    ({ metadata }) => metadata?.labels?.['ray.io/cluster'] === cluster || metadata?.labels?.['job-name'] === name,
  );
  const source =
    own.find(({ metadata }) => metadata?.labels?.['job-name'] === name) ??
    own.find(({ metadata }) => metadata?.labels?.['ray.io/node-type'] === 'head');
  const clusterUid = objects.RayCluster.get(`${namespace}/${cluster}`)?.metadata?.uid ?? '';
  return (
    <ObjectPage
      kind="RayJob"
      namespace={namespace}
      name={name}
      now={now}
      relatedUids={[clusterUid, ...own.map(({ metadata }) => metadata?.uid ?? '')]}
    >
      {() => (
        <>
          {job === undefined ? null : (
            <div className="grid">
              <Stages job={job} pods={own} now={now} />
              <Attempts job={job} />
            </div>
          )}
          {source === undefined ? (
            <section className="panel">
              <p className="empty">
                No pod of this job exists, so there is no log. The message above has the end of the job's log.
              </p>
            </section>
          ) : (
            <LogView
              namespace={namespace}
              pod={source.metadata?.name ?? ''}
              container={source.spec?.containers?.[0]?.name ?? ''}
            />
          )}
        </>
      )}
    </ObjectPage>
  );
}

function Stages({ job, pods, now }: { readonly job: RayJob; readonly pods: readonly Pod[]; readonly now: number }) {
  const stages = stagesOf(job, pods, now);
  const [from, to] = [Math.min(...stages.map(({ fromMs }) => fromMs)), Math.max(...stages.map(({ toMs }) => toMs))];
  const share = (ms: number) => `${(100 * ms) / Math.max(1, to - from)}%`;
  return (
    <section className="panel">
      <header>
        <h2>Stages</h2>
        <span className="dim">{stages.length === 0 ? '' : duration(to - from)}</span>
      </header>
      <div className="body stages">
        {stages.length === 0 ? (
          <span className="t">Not started</span>
        ) : (
          stages.map(({ title, fromMs, toMs, tone }) => (
            <div key={title} style={{ display: 'contents' }}>
              <span className="t">{title}</span>
              <div className="bar">
                <i className={tone} style={{ left: share(fromMs - from), width: share(toMs - fromMs) }} />
              </div>
              <span className="d">{duration(toMs - fromMs)}</span>
            </div>
          ))
        )}
      </div>
    </section>
  );
}

function Attempts({ job }: { readonly job: RayJob }) {
  const { attempts = [], rayClusterName = '' } = job.status ?? {};
  return (
    <section className="panel">
      <header>
        <h2>Attempts</h2>
        {rayClusterName === '' ? null : (
          <Link href={`/clusters/${job.metadata?.namespace ?? ''}/${rayClusterName}`}>{rayClusterName}</Link>
        )}
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
            {attempts.toReversed().map(({ number, outcome, startTime, endTime, reason }) => (
              <tr key={number}>
                <td>{number}</td>
                <td>
                  <span className={`state ${outcome === 'Succeeded' ? 'ok' : (outcome ?? '') === '' ? 'run' : 'bad'}`}>
                    {outcome === 'Succeeded' ? '✓' : (outcome ?? '') === '' ? '▸' : '✕'}{' '}
                    {(outcome ?? '') === '' ? 'Running' : outcome}
                  </span>
                </td>
                <td className="num">
                  {startTime === undefined
                    ? '–'
                    : duration((endTime === undefined ? Date.now() : Date.parse(endTime)) - Date.parse(startTime))}
                </td>
                <td>{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
