import type { DashboardLink } from '@manta/console/protocol';
import { useContext } from 'react';
import { PLURALS, type RayKind, send } from '../live/api.ts';
import { SessionContext } from '../live/session.ts';
import type { Action } from './use-action.ts';

export interface RayDashboardProps extends Pick<Action, 'run' | 'isBusy'> {
  readonly kind: RayKind;
  readonly namespace: string;
  readonly name: string;
}

/** Opens Ray's own dashboard, on an origin of its own, in a new tab. */
export function RayDashboardButton({ kind, namespace, name, run, isBusy }: RayDashboardProps) {
  const session = useContext(SessionContext);
  if (session?.hasRayDashboards !== true || kind === 'RayCronJob') return null;
  const open = async () => {
    // Opened by the click itself: browsers block windows that open later.
    const tab = window.open('about:blank', '_blank');
    try {
      const path = `/api/ray-dashboard/${PLURALS[kind]}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
      const { url }: DashboardLink = await (await send(path, { method: 'POST' })).json();
      if (tab === null) window.location.assign(url);
      else {
        tab.opener = null;
        tab.location.assign(url);
      }
    } catch (error) {
      tab?.close();
      throw error;
    }
  };
  return (
    <button type="button" disabled={isBusy} onClick={() => run(open)}>
      Ray dashboard
    </button>
  );
}
