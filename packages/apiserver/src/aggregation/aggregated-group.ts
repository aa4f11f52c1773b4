import type { User } from '../auth/user.ts';
import type { ResourcePath } from '../requests/request-path.ts';

/**
 * An API group that another part of the process answers, as an aggregated API server does behind kube-apiserver. The server authenticates;
 * the group decides what the user may see. Such groups are not part of discovery.
 */
export interface AggregatedGroup {
  readonly version: string;
  answer(request: AggregatedRequest): Promise<AggregatedAnswer>;
}

/** A GET request below the group, its sender known. */
export interface AggregatedRequest {
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  readonly user: User;
  /** Whether the server's rules let the user list a resource. An empty namespace means all. */
  readonly mayList: (resource: { readonly group: string; readonly plural: string }, namespace: string) => boolean;
}

export type AggregatedAnswer =
  | { readonly code: 200; readonly body: object }
  | { readonly code: 200; readonly text: string }
  | { readonly code: 400 | 403 | 404; readonly message: string };
