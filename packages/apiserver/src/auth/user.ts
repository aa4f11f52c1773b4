/** Who asks. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Members of this group may do everything, whatever RBAC says. */
export const MASTERS = 'system:masters';

/** The user that the engine's own parts act as. */
export const ADMIN: User = { name: 'system:admin', groups: [MASTERS, 'system:authenticated'] };

/** The user of requests without credentials. */
export const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
