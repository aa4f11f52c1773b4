import type { Socket } from 'node:net';

/** Who we are, for one request: headers such as `authorization` and `impersonate-user`, or a client certificate. */
export interface Credentials {
  /** Lower-case names. Hand out the same object while nothing changed: the transport keeps what it derived from it. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** PEM; a change leads to a new session. */
  readonly cert?: string | undefined;
  /** PEM. */
  readonly key?: string | undefined;
}

export interface ServerTls {
  /** PEM bundle; absent: the machine's own roots. */
  readonly ca?: string | undefined;
  /** The name that the server's certificate must carry, where it differs from the host in the address. */
  readonly serverName?: string | undefined;
  readonly rejectUnauthorized: boolean;
}

/** Where the server is and who we are, resolved; credentials are asked for at each request since they rotate. */
export interface Connection {
  /** Scheme, host, port, and a path prefix where the server lives below one (Rancher and the like). */
  readonly server: URL;
  readonly tls: ServerTls;
  /**
   * Called before each request. A value, not a promise, where nothing has to be waited for: that keeps a small request cheap.
   * Rejections become the request's error; their message is shown to the user as it is.
   */
  credentials(): Credentials | Promise<Credentials>;
  /**
   * Told on a 401 so that a cached token or exec credential is dropped; the request is then sent once more. `rejected` are the
   * credentials that the server did not take: newer ones may stay.
   */
  invalidateCredentials(rejected?: Credentials): void;
  /** Opens the raw TCP stream, through a proxy for instance; TLS to the server is laid over it by the caller. Absent: direct. */
  connectSocket?(signal: AbortSignal): Promise<Socket>;
  readonly defaultNamespace?: string | undefined;
}
