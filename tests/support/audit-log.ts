import { readFile, stat } from 'node:fs/promises';

/** One request as the API server's audit log has it. */
export interface AuditedRequest {
  readonly id: string;
  readonly user: string;
  readonly verb: string;
  /** Plural name with its subresource, such as `pods/status`; empty for requests such as `/version`. */
  readonly resource: string;
  readonly apiGroup: string;
  readonly namespace: string;
  readonly name: string;
  readonly uri: string;
  readonly userAgent: string;
  /** The answer's status code; 0 while there is none. */
  readonly code: number;
}

/** What a request must be to count; fields that are left out match everything. */
export type AuditFilter = Partial<Pick<AuditedRequest, 'user' | 'verb' | 'resource' | 'namespace' | 'name' | 'code'>>;

interface RawEvent {
  readonly auditID: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly user: { readonly username?: string };
  readonly impersonatedUser?: { readonly username?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** The policy that logs who did what, without bodies. */
export const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`;

function toRequest(event: RawEvent): AuditedRequest {
  const object = event.objectRef ?? {};
  return {
    id: event.auditID,
    user: event.impersonatedUser?.username ?? event.user.username ?? '',
    verb: event.verb,
    resource: [object.resource, object.subresource].filter((part) => part).join('/'),
    apiGroup: object.apiGroup ?? '',
    namespace: object.namespace ?? '',
    name: object.name ?? '',
    uri: event.requestURI,
    userAgent: event.userAgent ?? '',
    code: event.responseStatus?.code ?? 0,
  };
}

/** The requests in an audit log's text. A watch is logged when it starts and when it ends; it counts once, with what was said last. */
export function parseAuditLog(text: string): readonly AuditedRequest[] {
  const byId = new Map<string, AuditedRequest>();
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  for (const line of whole.split('\n')) {
    if (line === '') continue;
    const request = toRequest(JSON.parse(line) as RawEvent);
    byId.set(request.id, request);
  }
  return [...byId.values()];
}

/** Tells whether a request is one that a filter asks for. */
export function matchesFilter(request: AuditedRequest, filter: AuditFilter): boolean {
  const wanted = Object.entries(filter) as readonly [keyof AuditFilter, string | number | undefined][];
  return wanted.every(([field, value]) => value === undefined || request[field] === value);
}

/** Counts requests by `user verb resource`, such as `ada list pods`. */
export function tally(requests: readonly AuditedRequest[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { user, verb, resource, uri } of requests) {
    const key = `${user} ${verb} ${resource || uri}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** Reads the audit log of an API server. The server writes a line before it answers, so what has been answered is in the log. */
export class AuditLog {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** A place in the log; pass it to the other methods to look only at what came after. */
  async mark(): Promise<number> {
    return (await stat(this.#path)).size;
  }

  /** The requests since a mark (or from the start) that a filter asks for. */
  async requests(filter: AuditFilter = {}, since = 0): Promise<readonly AuditedRequest[]> {
    const bytes = await readFile(this.#path);
    return parseAuditLog(bytes.subarray(since).toString('utf8')).filter((request) => matchesFilter(request, filter));
  }

  /** How many requests there were. */
  async count(filter: AuditFilter = {}, since = 0): Promise<number> {
    return (await this.requests(filter, since)).length;
  }

  /** How many requests there were, by `user verb resource`. */
  async tally(filter: AuditFilter = {}, since = 0): Promise<Readonly<Record<string, number>>> {
    return tally(await this.requests(filter, since));
  }
}
