import { Annotation } from '@manta/api';
import { useEffect, useState } from 'react';
import { send } from '../live/api.ts';
import { LISTS } from '../live/pages.ts';
import { rayObjects } from '../live/store.ts';
import { useLive } from '../live/use-live.ts';
import { Facts } from '../parts/facts.tsx';
import { Permissions } from '../parts/permissions.tsx';
import { useNow } from '../parts/relative-time.tsx';

const KINDS = ['RayJob', 'RayCluster', 'RayService', 'RayCronJob'] as const;
/** The operator observes a change within moments; what is older has not been handled. */
const LATE_MS = 60_000;

/** Whether the operator keeps up, in words, as far as the viewer's own access shows it. */
export function OperatorPage() {
  const live = useLive();
  const now = useNow();
  const version = useServerVersion();
  const late = KINDS.flatMap((kind) =>
    rayObjects(live.objects, kind).filter(({ metadata, status }) => {
      const observed = status !== undefined && 'observedGeneration' in status ? status.observedGeneration : undefined;
      const isNew = now - Date.parse(metadata?.creationTimestamp ?? '') < LATE_MS;
      if (kind === 'RayCronJob' || isNew) return false;
      return status === undefined || (observed !== undefined && observed < (metadata?.generation ?? 0));
    }),
  );
  const versions = new Map<string, number>();
  for (const { metadata } of live.objects.RayCluster.values()) {
    const each = metadata?.annotations?.[Annotation.OperatorVersion];
    if (each !== undefined) versions.set(each, (versions.get(each) ?? 0) + 1);
  }
  return (
    <>
      <h1>Operator</h1>
      <div className={late.length === 0 ? 'why good' : 'why'} role="status">
        <p>
          <b>
            {late.length === 0
              ? 'The operator has handled every change that you can see.'
              : `${late.length} ${late.length === 1 ? 'object waits' : 'objects wait'} for the operator for more than a minute.`}
          </b>
        </p>
        {late.length === 0 ? null : (
          <>
            <p>
              {late
                .slice(0, 5)
                .map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`)
                .join(', ')}
            </p>
            <p>
              <b>What to do:</b> Check that its pod runs and read its log:{' '}
              <code className="mono">kubectl ray doctor</code>.
            </p>
          </>
        )}
      </div>
      <Facts
        facts={[
          ['API server', version],
          ['Stream', live.behind ?? (live.connection === 'live' ? 'current' : live.connection)],
          [
            'Written by operator version',
            versions.size === 0
              ? 'not recorded'
              : [...versions].map(([each, count]) => `${each} (${count})`).join(', '),
          ],
        ]}
      />
      <section className="panel">
        <header>
          <h2>Kinds</h2>
          <span className="dim">what the API server serves and you may see</span>
        </header>
        <table>
          <thead>
            <tr>
              <th>Kind</th>
              <th>State</th>
              <th className="num">Objects</th>
              <th>Namespaces</th>
            </tr>
          </thead>
          <tbody>
            {live.access.map(({ kind, namespaces, denied }) => (
              <tr key={kind}>
                <td>{kind}</td>
                <td>
                  {denied === undefined ? (
                    <span className="state ok">✓ Readable</span>
                  ) : (
                    <span className="state warn">! Not readable</span>
                  )}
                </td>
                <td className="num">{live.objects[kind].size.toLocaleString('en')}</td>
                <td>{denied ?? (namespaces === 'all' ? 'all' : namespaces.join(', '))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Permissions titles={KINDS.map((kind) => [kind, LISTS[kind].title] as const)} />
    </>
  );
}

function useServerVersion(): string {
  const [version, setVersion] = useState('…');
  useEffect(() => {
    const read = async () => {
      const answer = await send('/version');
      const { gitVersion }: { readonly gitVersion?: string } = await answer.json();
      return gitVersion ?? 'unknown';
    };
    read().then(setVersion, (error: unknown) => setVersion(error instanceof Error ? error.message : String(error)));
  }, []);
  return version;
}
