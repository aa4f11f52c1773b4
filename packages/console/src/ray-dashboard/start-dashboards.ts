import type { ListenerTimeouts } from '@manta/base';
import type { Clock, KubeClient } from '@manta/kube';
import { type ListenAddress, type Logger, SHORT_REQUESTS } from '@manta/runtime';
import { closeServer, listenOn } from '../http/listen.ts';
import type { ViewerSession } from '../identity/sessions.ts';
import { createDashboardServer, TICKET_PATH } from './dashboard-server.ts';
import { DashboardSessions, hostLabel } from './dashboard-sessions.ts';
import { type DashboardTarget, Heads } from './find-head.ts';
import type { HeadDial } from './head-dial.ts';
import { ViewerRights } from './viewer-rights.ts';

export interface DashboardOptions {
  readonly listen: ListenAddress;
  /**
   * `https://*.ray.example.com`: where browsers reach the listener, with a wildcard for the label of each dashboard. Absent:
   * `http://*.localhost:<port>`, which browsers resolve to their own machine.
   */
  readonly url?: string | undefined;
  readonly dial: HeadDial;
}

export interface DashboardWorld {
  readonly clock: Clock;
  readonly log: Logger;
  /** The console's own account: finds heads, reads tokens. */
  readonly client: KubeClient;
  readonly limits?: ListenerTimeouts | undefined;
}

/** Ray heads and dashboards for the routes of the console. */
export interface Dashboards {
  readonly port: number;
  readonly heads: Heads;
  readonly rights: ViewerRights;
  readonly dial: HeadDial;
  /** A link that logs the viewer in on the dashboard's own host; it works once. */
  linkTo(target: DashboardTarget, viewer: ViewerSession): string;
  close(): Promise<void>;
}

/** Serves Ray dashboards on a listener of their own. */
export async function startDashboards(options: DashboardOptions, world: DashboardWorld): Promise<Dashboards> {
  const { clock, log, client, limits = SHORT_REQUESTS } = world;
  const { listen, url, dial } = options;
  const parts = { heads: new Heads(client, clock), rights: new ViewerRights(clock), dial };
  const sessions = new DashboardSessions(clock);
  const place = url === undefined ? undefined : readPlace(url);
  let suffix = place?.suffix ?? '';
  const server = createDashboardServer({ ...parts, clock, log, limits, sessions, suffix: () => suffix });
  const port = await listenOn(server, listen, '--ray-dashboard-port');
  suffix ||= `localhost:${port}`;
  const scheme = place?.scheme ?? 'http:';
  return {
    ...parts,
    port,
    linkTo: (target, viewer) => {
      const host = `${hostLabel(target)}.${suffix}`;
      return `${scheme}//${host}${TICKET_PATH}?ticket=${sessions.issue({ target, viewer, host })}`;
    },
    close: () => closeServer(server),
  };
}

/** Rejects what is not `scheme://*.host[:port]`. */
export function readPlace(url: string): { readonly scheme: string; readonly suffix: string } {
  const [, scheme, suffix] = /^(https?:)\/\/\*\.([a-z0-9.-]+(?::\d+)?)\/?$/i.exec(url) ?? [];
  if (scheme === undefined || suffix === undefined)
    throw new Error(
      `--ray-dashboard-url ${url} is not an address with a wildcard. Use e.g. https://*.ray.example.com.`,
    );
  return { scheme, suffix: suffix.toLowerCase() };
}
