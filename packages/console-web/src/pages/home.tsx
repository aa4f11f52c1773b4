import { type RayRef, why } from '@manta/insight';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { stateOf } from '../format/object-state.ts';
import { sentence } from '../format/sentence.ts';
import type { RayKind } from '../live/api.ts';
import { rayObjects } from '../live/store.ts';
import { useLive } from '../live/use-live.ts';
import { worldOf } from '../live/world.ts';

const KINDS: readonly (readonly [RayKind, string])[] = [
  ['RayJob', 'jobs'],
  ['RayCluster', 'clusters'],
  ['RayService', 'services'],
  ['RayCronJob', 'cron'],
];
/** More problems than these help nobody: the lists have filters. */
const SHOWN = 20;

/** What is broken now, in words, with the action to take; and how much runs. */
export function HomePage() {
  const live = useLive();
  const counts = useMemo(() => {
    const jobs = Array.from(live.objects.RayJob.values(), (job) => stateOf('RayJob', job));
    const isReady = (kind: RayKind) =>
      rayObjects(live.objects, kind).filter((each) => stateOf(kind, each).tone === 'ok').length;
    return {
      running: jobs.filter(({ tone }) => tone === 'run').length,
      failed: jobs.filter(({ tone }) => tone === 'bad').length,
      clusters: isReady('RayCluster'),
      services: isReady('RayService'),
    };
  }, [live]);
  const problems = useMemo(() => {
    const world = worldOf(live, Date.now());
    const refs: RayRef[] = KINDS.flatMap(([kind]) =>
      rayObjects(live.objects, kind).flatMap((object) => {
        const isSuspect = stateOf(kind, object).tone !== 'ok' && stateOf(kind, object).tone !== 'idle';
        const isOwned = (object.metadata?.ownerReferences ?? []).length > 0;
        return isSuspect && !isOwned
          ? [{ kind, namespace: object.metadata?.namespace ?? '', name: object.metadata?.name ?? '' }]
          : [];
      }),
    );
    return refs
      .slice(0, 200)
      .map((ref) => why(world, ref))
      .filter(({ health }) => health === 'unhealthy');
  }, [live]);
  return (
    <>
      <h1>
        {problems.length === 0
          ? 'Everything is well'
          : `${problems.length} ${problems.length === 1 ? 'thing needs' : 'things need'} attention`}
      </h1>
      <div className="cards">
        <Card title="Jobs running" value={counts.running} href="/jobs?state=Running" />
        <Card title="Jobs failed" value={counts.failed} href="/jobs?state=Failed" />
        <Card title="Clusters ready" value={counts.clusters} href="/clusters" />
        <Card title="Services ready" value={counts.services} href="/services" />
      </div>
      {problems.slice(0, SHOWN).map(({ ref, cause }) => (
        <div className="why" key={`${ref.kind}/${ref.namespace}/${ref.name}`}>
          <p>
            <Link href={`/${KINDS.find(([kind]) => kind === ref.kind)?.[1] ?? ''}/${ref.namespace}/${ref.name}`}>
              <b>
                {ref.kind} {ref.namespace}/{ref.name}
              </b>
            </Link>
          </p>
          <p>{sentence(cause?.sentence ?? '')}</p>
          <p className="dim">What to do: {cause?.action}</p>
        </div>
      ))}
      {problems.length > SHOWN ? <p className="dim">{problems.length - SHOWN} more: see the lists.</p> : null}
      {problems.length === 0 &&
      live.loaded.has('RayJob') &&
      live.objects.RayJob.size + live.objects.RayCluster.size === 0 ? (
        <section className="panel">
          <div className="empty">
            <b>There are no Ray objects yet.</b>
            <span>
              Start with <code className="mono">kubectl apply -f samples/rayjob.yaml</code> and watch it here.
            </span>
          </div>
        </section>
      ) : null}
    </>
  );
}

function Card({ title, value, href }: { readonly title: string; readonly value: number; readonly href: string }) {
  return (
    <Link href={href} className="card">
      <span className="dim">{title}</span>
      <b>{value.toLocaleString('en')}</b>
    </Link>
  );
}
