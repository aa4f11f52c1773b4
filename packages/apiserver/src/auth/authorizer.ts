import type { User } from './user.ts';

/** What somebody wants to do. */
export interface Attributes {
  readonly user: User;
  readonly verb: string;
  /** Absent for paths outside the API groups. */
  readonly resource?: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
  };
  readonly path: string;
}

/** The answer; `reason` explains a yes, or what stood in the way. */
export interface Decision {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/** A rule of a role. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Says who may do what. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision;
  /** All that somebody may do in a namespace. */
  rulesFor(user: User, namespace: string): readonly PolicyRule[];
}

/** The rules of somebody who may do everything. */
export const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Everybody may do everything. */
export const allowAll: Authorizer = {
  authorize: () => ({ isAllowed: true, reason: '' }),
  rulesFor: () => EVERYTHING,
};
