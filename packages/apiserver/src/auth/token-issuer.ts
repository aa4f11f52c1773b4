import { timestamp } from '@manta/api';
import { invalid as invalidValue } from '../field/cause.ts';
import { isObject, type JsonObject } from '../object/json.ts';
import type { ResourceName } from '../object/resource-info.ts';
import type { Store } from '../store/contract.ts';
import type { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { EngineWorld } from '../world.ts';
import { invalid } from '../status/errors.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import { asStored } from '../object/stored-json.ts';
import { type BoundObject, findBoundObject, isOrphaned } from './bound-object.ts';
import { readToken, signToken } from './jwt.ts';
import type { User } from './user.ts';

/** The key that tokens are signed by, PEM, ECDSA P-256. Tokens stay good as long as it is the same. */
export interface TokenKeys {
  readonly privateKey: string;
}

/** Makes and checks the tokens of service accounts. */
export interface TokenIssuer {
  /** Answers a TokenRequest. */
  issue(account: StoredObject, request: unknown): StoredObject;
  /** The owner of a token; undefined if the token is not ours, has expired, or its account or pod no longer exists. */
  verify(token: string, audiences?: readonly string[]): VerifiedToken | undefined;
}

export interface VerifiedToken {
  readonly user: User;
  readonly audiences: readonly string[];
}

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const ACCOUNTS: ResourceName = '/serviceaccounts';
const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

/** Issues tokens in the form of the real server's: signed, bound to an account and perhaps a pod. */
export function createTokenIssuer(store: Store, world: EngineWorld, keys: TokenKeys): TokenIssuer {
  return {
    issue(account, request) {
      const spec = specOf(request);
      const nowS = Math.floor(world.clock.now() / 1000);
      const bound = spec.bound === undefined ? undefined : findBoundObject(store, account, spec.bound);
      const claims = claimsOf(account, spec, bound, { nowS, jti: world.newUid() });
      const status = {
        token: signToken(claims, keys.privateKey),
        expirationTimestamp: timestamp((nowS + spec.seconds) * 1000),
      };
      const { name, namespace = '' } = account.metadata;
      return asStored({
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { name, namespace, creationTimestamp: timestamp(world.clock.now()) },
        spec: { audiences: spec.audiences, expirationSeconds: spec.seconds, boundObjectRef: spec.bound ?? null },
        status,
      });
    },
    verify(token, wanted = [ISSUER]) {
      const claims = readToken(token, keys.privateKey);
      if (claims === undefined || !isFresh(claims, world.clock.now() / 1000)) return undefined;
      const named = texts(claims['aud']);
      const audiences = wanted.filter((audience) => named.includes(audience));
      const user = userOf(store, claims);
      return audiences.length === 0 || user === undefined ? undefined : { user, audiences };
    },
  };
}

interface TokenSpec {
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly bound: JsonObject | undefined;
}

function specOf(request: unknown): TokenSpec {
  const spec = isObject(request) && isObject(request['spec']) ? request['spec'] : {};
  const { audiences, expirationSeconds = DEFAULT_SECONDS, boundObjectRef } = spec;
  const seconds = typeof expirationSeconds === 'number' ? expirationSeconds : DEFAULT_SECONDS;
  if (seconds < MIN_SECONDS) throw wrongDuration(seconds, 'may not specify a duration less than 10 minutes');
  if (seconds > MAX_SECONDS) throw wrongDuration(seconds, 'may not specify a duration larger than 2^32 seconds');
  const named = texts(audiences);
  return {
    audiences: named.length === 0 ? [ISSUER] : named,
    seconds,
    bound: isObject(boundObjectRef) ? boundObjectRef : undefined,
  };
}

function wrongDuration(seconds: number, problem: string): StatusError {
  const cause = invalidValue('spec.expirationSeconds', seconds, problem);
  return invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [cause]);
}

function claimsOf(
  { metadata }: StoredObject,
  { audiences, seconds }: TokenSpec,
  bound: BoundObject | undefined,
  { nowS, jti }: { readonly nowS: number; readonly jti: string },
): JsonObject {
  const { name, namespace = '', uid } = metadata;
  // The account's own claim is last: nothing that a caller chose can replace it.
  const binding = bound === undefined ? {} : { [bound.claim]: { name: bound.name, uid: bound.uid } };
  return {
    iss: ISSUER,
    sub: `system:serviceaccount:${namespace}:${name}`,
    aud: [...audiences],
    iat: nowS,
    nbf: nowS,
    exp: nowS + seconds,
    jti,
    'kubernetes.io': { namespace, ...binding, serviceaccount: { name, uid } },
  };
}

function isFresh(claims: JsonObject, nowS: number): boolean {
  const { exp } = claims;
  return claims['iss'] === ISSUER && typeof exp === 'number' && exp > nowS;
}

function userOf(store: Store, claims: JsonObject): User | undefined {
  const bound = isObject(claims['kubernetes.io']) ? claims['kubernetes.io'] : {};
  const namespace = textAt(bound, 'namespace');
  const name = textAt(bound, 'serviceaccount.name');
  const uid = textAt(bound, 'serviceaccount.uid');
  const account = store.get({ resource: ACCOUNTS, namespace, name });
  if (account === undefined || account.metadata.uid !== uid || isOrphaned(store, bound, namespace)) return undefined;
  const pod = valueAt(bound, 'pod');
  const extra = {
    'authentication.kubernetes.io/credential-id': [`JTI=${textAt(claims, 'jti')}`],
    ...(isObject(pod)
      ? {
          'authentication.kubernetes.io/pod-name': [textAt(pod, 'name')],
          'authentication.kubernetes.io/pod-uid': [textAt(pod, 'uid')],
        }
      : {}),
  };
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${name}`, uid, groups, extra };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
