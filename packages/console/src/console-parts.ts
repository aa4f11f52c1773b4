import type { Clock, Connection } from '@manta/kube';
import type { Logger } from '@manta/runtime';
import type { StaticFile } from './http/static-files.ts';
import type { BearerClients } from './identity/bearer-clients.ts';
import type { Oidc } from './identity/oidc.ts';
import type { OneTimeCodes } from './identity/one-time-codes.ts';
import type { Sessions } from './identity/sessions.ts';
import type { TrustedHeaderOptions } from './identity/trusted-header.ts';
import type { Caches } from './live/caches.ts';
import type { Dashboards } from './ray-dashboard/start-dashboards.ts';
import type { LoginMethod } from './protocol.ts';

/** What the routes of the console work with. */
export interface ConsoleParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the API server is. Its credentials are used for one-time URLs, and to impersonate users. */
  readonly server: Connection;
  readonly caches: Caches;
  /** Absent: nothing is sent to Ray heads. */
  readonly dashboards: Dashboards | undefined;
  readonly sessions: Sessions;
  readonly clients: BearerClients;
  readonly files: ReadonlyMap<string, StaticFile>;
  readonly hosts: () => readonly string[];
  /** Absent: there are no one-time URLs. */
  readonly codes?: OneTimeCodes;
  readonly onCodeUsed?: () => void;
  /** Absent: no OIDC provider. */
  readonly oidc: Oidc | undefined;
  /** Absent: no auth proxy. */
  readonly trustedHeader: TrustedHeaderOptions | undefined;
  readonly hasComputeTemplates: boolean;
  readonly methods: readonly LoginMethod[];
}
