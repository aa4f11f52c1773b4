import type { User } from './user.ts';

/** The attributes of a request that is authorized. */
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
  /** All permissions of a user in a namespace. */
  rulesFor(user: User, namespace: string): readonly PolicyRule[];
}

/** Rules that allow everything. */
export const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Allows every request. */
export const allowAll: Authorizer = {
  authorize: () => ({ isAllowed: true, reason: '' }),
  rulesFor: () => EVERYTHING,
};
