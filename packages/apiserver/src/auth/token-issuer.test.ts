import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../kube/src/testing/manual-clock.ts';
import type { Store } from '../store/contract.ts';
import { createStore } from '../store/store.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { createTokenIssuer, type TokenIssuer } from './token-issuer.ts';

const newKey = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
};

let store: Store;
let clock: ManualClock;
let issuer: TokenIssuer;
let account: StoredObject;

const world = () => ({ clock, newUid: () => 'some-id', random: () => 0.5 });
const put = (resource: '/serviceaccounts' | '/pods', name: string, uid: string) =>
  store.create({ resource, namespace: 'a', name }, {
    metadata: { name, namespace: 'a', uid },
    ...(resource === '/pods' ? { spec: { serviceAccountName: 'bot' } } : {}),
  } as never);
const issue = (spec: object = {}) => {
  const { token } = issuer.issue(account, { spec })['status'] as { token: string };
  return token;
};

beforeEach(() => {
  store = createStore();
  clock = new ManualClock();
  issuer = createTokenIssuer(store, world(), newKey());
  account = put('/serviceaccounts', 'bot', 'uid-1');
});

describe('a token of a service account', () => {
  it('says who its bearer is', () => {
    expect(issuer.verify(issue())?.user).toMatchObject({
      name: 'system:serviceaccount:a:bot',
      uid: 'uid-1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
    });
  });

  it('ends after its time', () => {
    const token = issue({ expirationSeconds: 600 });
    clock.advance(599_000);
    expect(issuer.verify(token)).toBeDefined();
    clock.advance(1000);
    expect(issuer.verify(token)).toBeUndefined();
  });

  it('is good for its audiences only', () => {
    const token = issue({ audiences: ['vault'] });
    expect(issuer.verify(token)).toBeUndefined();
    expect(issuer.verify(token, ['vault', 'other'])?.audiences).toEqual(['vault']);
  });

  it('goes with its account, even when another of the same name comes', () => {
    const token = issue();
    store.delete({ resource: '/serviceaccounts', namespace: 'a', name: 'bot' });
    put('/serviceaccounts', 'bot', 'uid-2');
    expect(issuer.verify(token)).toBeUndefined();
  });

  it('goes with the pod that it is bound to', () => {
    put('/pods', 'p', 'uid-p');
    const token = issue({ boundObjectRef: { kind: 'Pod', name: 'p', uid: 'uid-p' } });
    expect(issuer.verify(token)?.user.extra).toMatchObject({ 'authentication.kubernetes.io/pod-name': ['p'] });
    store.delete({ resource: '/pods', namespace: 'a', name: 'p' });
    expect(issuer.verify(token)).toBeUndefined();
  });

  it('is bound to the stored UID of a pod that the request names without one', () => {
    put('/pods', 'p', 'uid-p');
    const token = issue({ boundObjectRef: { kind: 'Pod', name: 'p' } });
    expect(issuer.verify(token)?.user.extra).toMatchObject({ 'authentication.kubernetes.io/pod-uid': ['uid-p'] });
  });

  it.each(['', 'x', 'a.b.c', 'a.b.c.d'])('is not "%s"', (text) => {
    expect(issuer.verify(text)).toBeUndefined();
  });

  it('is not believed when another key signed it', () => {
    const other = createTokenIssuer(store, world(), newKey());
    const { token } = other.issue(account, {})['status'] as { token: string };
    expect(issuer.verify(token)).toBeUndefined();
  });

  it('may not be shorter than ten minutes', () => {
    expect(() => issue({ expirationSeconds: 60 })).toThrow('may not specify a duration less than 10 minutes');
  });
});
