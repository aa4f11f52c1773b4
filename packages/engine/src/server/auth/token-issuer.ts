import type { StoredObject } from '../../stored-object.ts';
import type { User } from './user.ts';

/** Makes and checks the tokens of service accounts. */
export interface TokenIssuer {
  /** Answers a TokenRequest. */
  issue(account: StoredObject, request: unknown): StoredObject;
  /** Whose token this is; undefined when it is not ours, has expired, or its account is gone. */
  verify(
    token: string,
    audiences?: readonly string[],
  ): { readonly user: User; readonly audiences: readonly string[] } | undefined;
}
