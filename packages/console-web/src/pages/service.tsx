import type { RayService } from '@manta/api';
import { Link } from 'wouter';
import { pagePath } from '../live/pages.ts';
import { Conditions } from '../parts/conditions.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { Upgrade } from '../service/upgrade.tsx';
import { ObjectPage } from './object-page.tsx';

/** One RayService: its clusters with their share of the traffic, and its applications. */
export function ServicePage({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const now = useNow();
  return (
    <ObjectPage kind="RayService" namespace={namespace} name={name} now={now} relatedUids={[]}>
      {(object) => (
        <>
          <Upgrade service={object} now={now} />
          <div className="grid">
            <Applications service={object} />
            <Conditions conditions={object.status?.conditions ?? []} now={now} />
          </div>
        </>
      )}
    </ObjectPage>
  );
}

const TONES: Readonly<Record<string, readonly [tone: string, icon: string]>> = {
  RUNNING: ['ok', '✓'],
  HEALTHY: ['ok', '✓'],
  DEPLOYING: ['run', '▸'],
  UPDATING: ['run', '▸'],
  NOT_STARTED: ['idle', '–'],
  DELETING: ['idle', '–'],
};

function ServeState({ word = 'UNKNOWN' }: { readonly word: string | undefined }) {
  const [tone, icon] = TONES[word] ?? ['bad', '✕'];
  const text = word.charAt(0) + word.slice(1).toLowerCase().replaceAll('_', ' ');
  return (
    <span className={`state ${tone}`}>
      {icon} {text}
    </span>
  );
}

function Applications({ service }: { readonly service: RayService }) {
  const namespace = service.metadata?.namespace ?? '';
  const { activeServiceStatus: active, pendingServiceStatus: pending } = service.status ?? {};
  const isUpgrading = (pending?.rayClusterName ?? '') !== '';
  const rows = [
    { role: isUpgrading ? 'old' : '', serving: active },
    { role: 'new', serving: pending },
  ].flatMap(({ role, serving }) =>
    Object.entries(serving?.applicationStatuses ?? {}).map(([name, app]) => ({ role, serving, name, app })),
  );
  return (
    <section className="panel">
      <header>
        <h2>Applications</h2>
        <span className="dim">{service.status?.numServeEndpoints ?? 0} endpoints</span>
      </header>
      {rows.length === 0 ? (
        <p className="empty">Ray Serve has not reported any application yet.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>Application</th>
              <th>State</th>
              <th>Deployments</th>
              <th>Cluster</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ role, serving, name, app }) => (
              <tr key={`${role}/${name}`}>
                <td>
                  {name}
                  {(app.message ?? '') === '' ? null : <div className="mono dim">{app.message}</div>}
                </td>
                <td>
                  <ServeState word={app.status} />
                </td>
                <td>
                  {Object.entries(app.serveDeploymentStatuses ?? {}).map(([deployment, { status, message = '' }]) => (
                    <div key={deployment} className="nowrap" title={message}>
                      {deployment} <ServeState word={status} />
                    </div>
                  ))}
                </td>
                <td>
                  <Link href={pagePath('RayCluster', namespace, serving?.rayClusterName ?? '')}>
                    {serving?.rayClusterName}
                  </Link>
                  {role === '' ? null : <span className="dim"> ({role})</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
