import type { KubeObject } from '@manta/api';

/**
 * What the console's server and its web page say to each other. The page imports these types only; nothing here runs.
 *
 * Paths of the server:
 *   GET  /api/session            → Session, or 401 with LoginMethods
 *   POST /api/login/token        TokenLogin → NewSession
 *   POST /api/login/kubeconfig   KubeconfigLogin → NewSession
 *   GET  /login/oidc, /login/proxy, /login/once?code=…   navigations that end in a redirect to the page, /#key=…
 *   POST /api/logout             → 204
 *   GET  /api/stream             → server-sent events, each `data` one StreamMessage
 *   GET  /api/logs/pods/{namespace}/{pod}?container=&follow=true&tailLines=&sinceTime=&previous=true&timestamps=true
 *                                → lines of JSON (application/x-ndjson), each a LogMessage
 *   GET  /api/logs/rayjobs/{namespace}/{name}?follow=true&tailLines=   the job's own output, likewise
 *   GET  /api/exec/{namespace}/{pod}?container=&command=sh&command=…   WebSocket: ExecInput, ExecOutput, binary frames; always a terminal
 *   PUT  /api/packages/{namespace}/{rayCluster}/_ray_pkg_{hash}.zip    a zip archive → 204; the cluster keeps it as gcs://_ray_pkg_{hash}.zip
 *   POST /api/ray-dashboard/{rayclusters|rayservices|rayjobs}/{namespace}/{name}   → DashboardLink: Ray's dashboard on an origin of its own, to
 *                                be opened in a new tab; a fragment such as #/jobs may be appended. Offered if Session.hasRayDashboards.
 *   any  /apis/ray.io/v1/…, /api/v1/… (allow-list)          → the API server's own answer, with the viewer's identity
 *        ?dryRun=All validates without writing; PATCH with content-type application/apply-patch+yaml and ?fieldManager= is server-side apply
 * Every request carries the session's key besides its cookie: in the header `x-manta-console`, or as `key=` in the URL of an EventSource or a
 * WebSocket. Browsers send a cookie to all ports of a host, pods' pages included; the key is stored by the page, for its own port.
 * Writes without a session (login) carry any value in that header.
 */

/** Kinds that the stream delivers. Secrets are never among them. */
export const STREAMED_KINDS = ['RayCluster', 'RayJob', 'RayService', 'RayCronJob', 'Pod', 'Event', 'Node'] as const;
export type StreamedKind = (typeof STREAMED_KINDS)[number];

/** Who the viewer is and how long the session lasts. */
export interface Session {
  readonly user: string;
  readonly groups: readonly string[];
  readonly method: LoginMethod;
  /** RFC 3339. */
  readonly expiresAt: string;
  /** Namespace that the page shows first; absent: all. */
  readonly namespace?: string;
  /** Whether there are links to Ray dashboards. */
  readonly hasRayDashboards?: boolean;
}

/** What a login answers: the page stores the key. */
export interface NewSession extends Session {
  readonly key: string;
}

export type LoginMethod = 'oidc' | 'token' | 'kubeconfig' | 'proxy-header' | 'one-time-url';

/** Body of a 401: the ways to log in that this server offers. */
export interface LoginMethods {
  readonly methods: readonly LoginMethod[];
}

export interface TokenLogin {
  readonly token: string;
}

/** The text of a kubeconfig whose current context has a token or a client certificate in it. */
export interface KubeconfigLogin {
  readonly kubeconfig: string;
}

/** An object as the page gets it: without managedFields and without the values of Secrets. */
export interface StreamedObject extends KubeObject {
  readonly kind?: string;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** One message of the stream. */
export type StreamMessage =
  /** What the viewer may see, sent first and after each change of access. Objects of other kinds or namespaces are dropped by the page. */
  | { readonly type: 'access'; readonly access: readonly KindAccess[] }
  /** All objects of one kind that the viewer may see; replaces what the page has of this kind. */
  | { readonly type: 'snapshot'; readonly kind: StreamedKind; readonly items: readonly StreamedObject[] }
  | { readonly type: 'upsert'; readonly kind: StreamedKind; readonly object: StreamedObject }
  | { readonly type: 'delete'; readonly kind: StreamedKind; readonly namespace: string; readonly name: string }
  /** Every 10 s: the server's clock, and why its caches are behind the API server; absent: they are current. */
  | { readonly type: 'heartbeat'; readonly now: string; readonly behind?: string }
  /** The session ended; the page asks the viewer to log in. */
  | { readonly type: 'logout'; readonly reason: string };

/** One line of a log stream. Lines longer than 16 KiB arrive cut and end with `… (N more characters)`. */
export type LogMessage =
  /** First: what is read, for people, e.g. `pod train-x7k2p, container ray-job-submitter`. */
  | { readonly type: 'source'; readonly name: string }
  /** Complete lines, ANSI codes included. `dropped`: so many lines before these came too fast to be shown. */
  | { readonly type: 'lines'; readonly lines: readonly string[]; readonly dropped?: number }
  /** Last: the log has ended; `problem`: it broke off, and why. */
  | { readonly type: 'end'; readonly problem?: string };

/** Text frames from the page to a terminal; binary frames are input, too. */
export type ExecInput =
  | { readonly type: 'input'; readonly text: string }
  | { readonly type: 'resize'; readonly columns: number; readonly rows: number };

/** Text frames from a terminal to the page; its output arrives as binary frames. */
export type ExecOutput =
  | { readonly type: 'open' }
  /** Last: the exit code, or why the command was not run or was cut off. */
  | { readonly type: 'exit'; readonly code?: number; readonly problem?: string };

/** A link to a Ray dashboard. It works once, within a minute. */
export interface DashboardLink {
  readonly url: string;
}

/** What a viewer may see of a kind. */
export interface KindAccess {
  readonly kind: StreamedKind;
  readonly namespaces: 'all' | readonly string[];
  /** Why nothing is shown, in the words of the API server. */
  readonly denied?: string;
}

/** Body of an error of the console's own; errors of the API server are passed on as they are. */
export interface ConsoleError {
  readonly message: string;
}
