import { type Why, why } from '@manta/insight';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { numberOf, requested } from '../format/amounts.ts';
import { ago, duration } from '../format/duration.ts';
import { stateOf } from '../format/object-state.ts';
import { sentence } from '../format/sentence.ts';
import { LISTS, pagePath } from '../live/pages.ts';
import { type LiveState, rayObjects } from '../live/store.ts';
import { useLive } from '../live/use-live.ts';
import { worldOf } from '../live/world.ts';
import { useNow } from '../parts/relative-time.tsx';
import { StateBadge } from '../parts/state-badge.tsx';

const KINDS = ['RayJob', 'RayCluster', 'RayService', 'RayCronJob'] as const;
/** The home page shows at most this many problems; the lists have filters for the others. */
const SHOWN = 10;
const EXAMINED = 200;
const DAY_MS = 86_400_000;

/** What is broken now, in words, with the action to take; and how much runs. */
export function HomePage() {
  const live = useLive();
  const { list: problems, isPartial } = useMemo(() => problemsOf(live), [live]);
  const isEmpty = live.loaded.has('RayJob') && KINDS.every((kind) => live.objects[kind].size === 0);
  if (!live.loaded.has('RayJob')) return <h1>Home</h1>;
  return (
    <>
      <h1>
        {isEmpty
          ? 'Welcome'
          : problems.length === 0
            ? 'Everything is well'
            : `${isPartial ? 'At least ' : ''}${problems.length} ${problems.length === 1 ? 'thing needs' : 'things need'} attention`}
      </h1>
      {isEmpty ? (
        <section className="panel">
          <div className="empty">
            <b>There are no Ray objects yet.</b>
            <span>
              <Link href="/new">Create the first one from a template</Link>, or start with{' '}
              <code className="mono">kubectl apply -f samples/rayjob.yaml</code> and watch it here.
            </span>
          </div>
        </section>
      ) : (
        <Cards live={live} />
      )}
      {problems.slice(0, SHOWN).map(({ ref, cause }) => (
        <div className="why" key={`${ref.kind}/${ref.namespace}/${ref.name}`}>
          <p>
            <Link href={pagePath(ref.kind, ref.namespace, ref.name)}>
              <b>
                {ref.kind} {ref.namespace}/{ref.name}
              </b>
            </Link>
          </p>
          <p>{sentence(cause?.sentence ?? '')}</p>
          <p className="dim">What to do: {cause?.action}</p>
        </div>
      ))}
      {problems.length > SHOWN ? (
        <p className="dim lead">
          {problems.length - SHOWN} more: see <Link href="/jobs?state=Failed">failed jobs</Link>.
        </p>
      ) : null}
      {isEmpty ? null : <Recent live={live} />}
    </>
  );
}

interface Problems {
  readonly list: readonly Why[];
  /** There are more suspects than were examined. */
  readonly isPartial: boolean;
}

/** The newest problems first; old failures are history. */
function problemsOf(live: LiveState): Problems {
  const world = worldOf(live, Date.now());
  const suspects = KINDS.flatMap((kind) =>
    rayObjects(live.objects, kind).flatMap((object) => {
      const { tone } = stateOf(kind, object);
      const { ownerReferences = [], namespace = '', name = '', creationTimestamp = '' } = object.metadata ?? {};
      const createdMs = Date.parse(creationTimestamp);
      const isOld = tone === 'bad' && world.now - createdMs > 7 * DAY_MS;
      const isWell = tone === 'ok' || tone === 'idle' || isOld || ownerReferences.length > 0;
      return isWell ? [] : [{ createdMs, ref: { kind, namespace, name } }];
    }),
  ).toSorted((a, b) => b.createdMs - a.createdMs);
  const list = suspects
    .slice(0, EXAMINED)
    .map(({ ref }) => why(world, ref))
    .filter(({ health }) => health === 'unhealthy');
  return { list, isPartial: suspects.length > EXAMINED };
}

function Cards({ live: { objects } }: { readonly live: LiveState }) {
  const now = useNow();
  const jobs = [...objects.RayJob.values()];
  const of = (tone: string) => jobs.filter((job) => stateOf('RayJob', job).tone === tone);
  const failedToday = of('bad').filter(({ status }) => now - Date.parse(status?.endTime ?? '') < DAY_MS).length;
  const queued = jobs.filter((job) =>
    ['Waiting', 'Suspended', 'Starting', 'New'].includes(stateOf('RayJob', job).word),
  ).length;
  const running = jobs.filter((job) => stateOf('RayJob', job).word === 'Running').length;
  return (
    <div className="cards">
      <Capacity objects={objects} resource="nvidia.com/gpu" title="GPUs" />
      <Capacity objects={objects} resource="cpu" title="CPUs" />
      <Link href="/jobs?state=Running" className="card">
        <span className="dim">Running jobs</span>
        <b>{running.toLocaleString('en')}</b>
        <span className="dim small">{queued.toLocaleString('en')} not running yet</span>
      </Link>
      <Link href="/jobs?state=Failed" className="card">
        <span className="dim">Failed today</span>
        <b>{failedToday.toLocaleString('en')}</b>
        <span className="dim small">{of('bad').length.toLocaleString('en')} failed jobs in all</span>
      </Link>
    </div>
  );
}

/** How much of the nodes' capacity Ray pods hold, and how much they ask for in vain. */
function Capacity({
  objects,
  resource,
  title,
}: {
  readonly objects: LiveState['objects'];
  readonly resource: string;
  readonly title: string;
}) {
  const total = [...objects.Node.values()].reduce(
    (sum, { status }) => sum + numberOf(status?.allocatable?.[resource]),
    0,
  );
  const pods = [...objects.Pod.values()].filter(
    ({ status }) => status?.phase === 'Running' || status?.phase === 'Pending',
  );
  const sum = (wanted: boolean) =>
    pods
      .filter(({ spec }) => ((spec?.nodeName ?? '') !== '') === wanted)
      .reduce((all, pod) => all + requested(pod, resource), 0);
  const [used, waiting] = [sum(true), sum(false)];
  return (
    <Link href="/clusters" className="card">
      <span className="dim">{title}</span>
      <b>
        {round(used)}
        {total > 0 ? <span className="dim of"> of {round(total)}</span> : null}
      </b>
      <span className="dim small">{waiting > 0 ? `${round(waiting)} more asked for` : 'held by Ray pods'}</span>
      <span className="meter" aria-hidden="true">
        <i style={{ width: `${total > 0 ? Math.min(100, (100 * used) / total) : 0}%` }} />
      </span>
    </Link>
  );
}

function round(amount: number): string {
  return amount.toLocaleString('en', { maximumFractionDigits: 1 });
}

/** The newest jobs and all services: what people come back for. */
function Recent({ live: { objects } }: { readonly live: LiveState }) {
  const now = useNow();
  const jobs = [...objects.RayJob.values()]
    .toSorted((a, b) => (b.metadata?.creationTimestamp ?? '').localeCompare(a.metadata?.creationTimestamp ?? ''))
    .slice(0, 8);
  const services = [...objects.RayService.values()].slice(0, 8);
  return (
    <div className="grid">
      <section className="panel">
        <header>
          <h2>Newest jobs</h2>
          <Link href={LISTS.RayJob.path}>All jobs</Link>
        </header>
        {jobs.length === 0 ? (
          <p className="empty">No jobs yet.</p>
        ) : (
          <table>
            <tbody>
              {jobs.map((job) => (
                <tr key={job.metadata?.uid}>
                  <td>
                    <Link href={pagePath('RayJob', job.metadata?.namespace ?? '', job.metadata?.name ?? '')}>
                      {job.metadata?.name}
                    </Link>
                  </td>
                  <td>
                    <StateBadge state={stateOf('RayJob', job)} />
                  </td>
                  <td className="num dim wide">
                    {job.status?.startTime === undefined
                      ? ''
                      : duration(
                          (job.status.endTime === undefined ? now : Date.parse(job.status.endTime)) -
                            Date.parse(job.status.startTime),
                        )}
                  </td>
                  <td className="num dim">{ago(Date.parse(job.metadata?.creationTimestamp ?? ''), now)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <section className="panel">
        <header>
          <h2>Services</h2>
          <Link href={LISTS.RayService.path}>All services</Link>
        </header>
        {services.length === 0 ? (
          <p className="empty">No services yet.</p>
        ) : (
          <table>
            <tbody>
              {services.map((service) => (
                <tr key={service.metadata?.uid}>
                  <td>
                    <Link
                      href={pagePath('RayService', service.metadata?.namespace ?? '', service.metadata?.name ?? '')}
                    >
                      {service.metadata?.name}
                    </Link>
                  </td>
                  <td>
                    <StateBadge state={stateOf('RayService', service)} />
                  </td>
                  <td className="num dim">
                    {service.status?.pendingServiceStatus?.trafficRoutedPercent === undefined
                      ? `${service.status?.numServeEndpoints ?? 0} endpoints`
                      : `${service.status.pendingServiceStatus.trafficRoutedPercent} % moved`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </div>
  );
}
