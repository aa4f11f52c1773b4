import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { stateOf } from '../format/object-state.ts';
import type { RayKind } from '../live/api.ts';
import { LISTS } from '../live/pages.ts';
import type { KindTypes } from '../live/store.ts';
import { useLive } from '../live/use-live.ts';
import { Actions } from '../parts/actions.tsx';
import { CauseBox } from '../parts/cause-box.tsx';
import { EventTable } from '../parts/event-table.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Yaml } from '../parts/yaml.tsx';

export interface ObjectPageProps<K extends RayKind> {
  readonly kind: K;
  readonly namespace: string;
  readonly name: string;
  readonly now: number;
  /** Further objects whose events belong here. */
  readonly relatedUids: readonly string[];
  readonly children: (object: KindTypes[K]) => ReactNode;
}

/** What all pages of one object share: its state, why it is not well, actions, events and YAML. */
export function ObjectPage<K extends RayKind>({
  kind,
  namespace,
  name,
  now,
  relatedUids,
  children,
}: ObjectPageProps<K>) {
  const live = useLive();
  const object: KindTypes[K] | undefined = live.objects[kind].get(`${namespace}/${name}`);
  const { path, title } = LISTS[kind];
  const crumb = (
    <div className="crumb">
      <Link href={path}>{title}</Link> / {namespace}
    </div>
  );
  if (object === undefined)
    return (
      <>
        {crumb}
        <h1>{name}</h1>
        <section className="panel">
          <p className="empty">
            {live.loaded.has(kind)
              ? `There is no ${kind} ${namespace}/${name}. It may have been deleted, or you may not see this namespace.`
              : 'Loading …'}
          </p>
        </section>
      </>
    );
  return (
    <>
      {crumb}
      <div className="row">
        <h1>
          {name} <StateBadge state={stateOf(kind, object)} />
        </h1>
        <Actions kind={kind} object={object} />
      </div>
      <CauseBox target={{ kind, namespace, name }} />
      {children(object)}
      <section className="panel">
        <header>
          <h2>Events</h2>
        </header>
        <EventTable uids={new Set([object.metadata?.uid ?? '', ...relatedUids])} now={now} />
      </section>
      <details className="panel">
        <summary className="body">YAML</summary>
        <Yaml value={object} />
      </details>
    </>
  );
}
