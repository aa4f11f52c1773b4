import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@manta/kube';
import type { ViewerSession } from '../identity/sessions.ts';
import type { DashboardTarget } from './find-head.ts';

/** A browser that looks at one Ray dashboard, on a host that no other dashboard has. */
export interface DashboardSession {
  readonly target: DashboardTarget;
  readonly host: string;
  readonly viewer: ViewerSession;
}

const TICKET_MS = 60_000;
/** Dashboards that one login may have open; the oldest is closed first. */
const MAX_OPEN = 50;
const MAX_LABEL_NAME = 40;

/** Tickets bring a viewer from the console to a dashboard's own host, where a cookie of that host takes over. Both end with the login. */
export class DashboardSessions {
  readonly #clock: Clock;
  readonly #tickets = new Map<string, DashboardSession & { readonly expiresAtMs: number }>();
  readonly #sessions = new Map<string, DashboardSession>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A ticket that works once, on `session.host`, within a minute. */
  issue(session: DashboardSession): string {
    const now = this.#clock.now();
    for (const [ticket, { expiresAtMs }] of this.#tickets) if (expiresAtMs <= now) this.#tickets.delete(ticket);
    const ticket = randomId();
    this.#tickets.set(ticket, { ...session, expiresAtMs: now + TICKET_MS });
    return ticket;
  }

  /** The id of a new session; undefined: the ticket was used, has expired, or is for another host. */
  redeem(ticket: string, host: string): string | undefined {
    const found = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    if (found === undefined || found.expiresAtMs <= this.#clock.now()) return undefined;
    const { target, viewer } = found;
    if (found.host !== host || viewer.ended.aborted) return undefined;
    const id = randomId();
    const own = [...this.#sessions].filter(([, each]) => each.viewer.id === viewer.id);
    const [oldest] = own;
    if (own.length >= MAX_OPEN && oldest !== undefined) this.#sessions.delete(oldest[0]);
    this.#sessions.set(id, { target, host, viewer });
    viewer.ended.addEventListener('abort', () => this.#sessions.delete(id), { once: true });
    return id;
  }

  find(id: string | undefined, host: string): DashboardSession | undefined {
    const session = id === undefined ? undefined : this.#sessions.get(id);
    return session?.host === host && session.viewer.expiresAtMs > this.#clock.now() ? session : undefined;
  }
}

/**
 * The first label of a dashboard's host. Each dashboard has a host of its own, because its pages are made by pods: one cluster's page must not
 * read another's.
 */
export function hostLabel({ kind, namespace, name }: DashboardTarget): string {
  const hash = createHash('sha256').update(`${kind}/${namespace}/${name}`).digest('hex').slice(0, 10);
  const readable = name
    .slice(0, MAX_LABEL_NAME)
    .replaceAll(/[^a-z0-9-]/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${readable === '' ? 'ray' : readable}-${hash}`;
}

function randomId(): string {
  return randomBytes(32).toString('base64url');
}
