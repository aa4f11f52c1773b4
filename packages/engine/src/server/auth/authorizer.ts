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

/** The answer; `reason` explains a yes, or an error on the way to a no. */
export interface Decision {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/** Says who may do what. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision;
}

/** Everybody may do everything. */
export const allowAll: Authorizer = { authorize: () => ({ isAllowed: true, reason: '' }) };
