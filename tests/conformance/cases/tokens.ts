import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { pod } from '../support/objects.ts';
import { core, pods } from '../support/paths.ts';
import { gone } from '../support/retry.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const whoAmI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const reviews = '/apis/authentication.k8s.io/v1/tokenreviews';

async function tokenOf(t: Target, namespace: string, spec: Fields = {}, account = 'default'): Promise<string> {
  const answer = await t.must('POST', `${core(namespace, 'serviceaccounts', account)}/token`, { spec });
  return String(answer.status['token']);
}

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Fields & {
    readonly exp: number;
    readonly iat: number;
  };

export const cases: readonly Case[] = [
  {
    title: 'a token for a service account says who, where, until when, and for whom',
    run: async (t) => {
      const namespace = await t.namespace();
      const path = `${core(namespace, 'serviceaccounts', 'default')}/token`;
      const answer = await t.request('POST', path, { spec: { expirationSeconds: 1200 } });
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        status: {
          token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
          expirationTimestamp: expect.stringMatching(/Z$/),
        },
      });
      const { token } = (answer.body as { status: { token: string } }).status;
      const claims = claimsOf(token);
      expect(claims).toMatchObject({
        sub: `system:serviceaccount:${namespace}:default`,
        iss: 'https://kubernetes.default.svc.cluster.local',
        aud: ['https://kubernetes.default.svc.cluster.local'],
        'kubernetes.io': { namespace, serviceaccount: { name: 'default', uid: expect.any(String) } },
      });
      expect(claims.exp - claims.iat).toBe(1200);
    },
  },
  {
    title: 'a token lasts an hour where nothing else is asked for',
    run: async (t) => {
      const { exp, iat } = claimsOf(await tokenOf(t, await t.namespace()));
      expect(exp - iat).toBe(3600);
    },
  },
  {
    title: 'a bearer of such a token is the service account, with its groups',
    run: async (t) => {
      const namespace = await t.namespace();
      const account = t.withToken(await tokenOf(t, namespace));
      const { status } = await account.must('POST', whoAmI, {});
      expect(status['userInfo']).toMatchObject({
        username: `system:serviceaccount:${namespace}:default`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      });
    },
  },
  {
    title: 'a service account gets permissions through bindings',
    run: async (t) => {
      const namespace = await t.namespace();
      const account = t.withToken(await tokenOf(t, namespace));
      expectRefusal(await account.request('GET', pods(namespace)), {
        code: 403,
        message: `pods is forbidden: User "system:serviceaccount:${namespace}:default" cannot list resource "pods" in API group "" in the namespace "${namespace}"`,
      });
    },
  },
  {
    title: 'a token may be bound to a pod',
    run: async (t) => {
      const namespace = await t.namespace();
      const { metadata } = await t.must('POST', pods(namespace), pod('p'));
      const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: metadata.uid };
      const claims = claimsOf(await tokenOf(t, namespace, { boundObjectRef }));
      expect(claims['kubernetes.io']).toMatchObject({ pod: { name: 'p', uid: metadata.uid } });
    },
  },
  ...(
    [
      [{ kind: 'ServiceAccount', name: 'boss' }, 'cannot bind token to object of type /, Kind=ServiceAccount'],
      [{ kind: 'pod', apiVersion: 'v1', name: 'p' }, 'cannot bind token to object of type /v1, Kind=pod'],
      [{ kind: 'Job', apiVersion: 'batch/v1', name: 'p' }, 'cannot bind token to object of type batch/v1, Kind=Job'],
      [{}, 'cannot bind token to object of type /, Kind='],
      [{ kind: 'Pod', apiVersion: 'v1' }, 'Name parameter required.'],
    ] as const
  ).map(
    ([boundObjectRef, message]): Case => ({
      title: `a token cannot be bound to ${JSON.stringify(boundObjectRef)}`,
      run: async (t) => {
        const path = `${core(await t.namespace(), 'serviceaccounts', 'default')}/token`;
        const answer = await t.request('POST', path, { spec: { boundObjectRef } });
        expectRefusal(answer, { code: 400, reason: 'BadRequest', message });
      },
    }),
  ),
  {
    title: 'a token is bound to an existing pod of its account only',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', core(namespace, 'serviceaccounts'), { metadata: { name: 'boss' } });
      await t.must('POST', pods(namespace), pod('p'));
      const ask = (account: string, ref: Fields) =>
        t.request('POST', `${core(namespace, 'serviceaccounts', account)}/token`, {
          spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', ...ref } },
        });
      expectRefusal(await ask('default', { name: 'none' }), { code: 404, message: 'pods "none" not found' });
      expectRefusal(await ask('boss', { name: 'p' }), {
        code: 400,
        message: 'cannot bind token for serviceaccount "boss" to pod running with different serviceaccount name.',
      });
      expectRefusal(await ask('default', { name: 'p', uid: 'other' }), {
        code: 409,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (other) does not match the UID in record. The object might have been deleted and then recreated',
        details: { name: 'p', kind: 'Pod' },
      });
    },
  },
  {
    title: 'a token that is bound to a pod without its UID gets that of the pod',
    run: async (t) => {
      const namespace = await t.namespace();
      const { metadata } = await t.must('POST', pods(namespace), pod('p'));
      const claims = claimsOf(await tokenOf(t, namespace, { boundObjectRef: { kind: 'Pod', name: 'p' } }));
      expect(claims['kubernetes.io']).toMatchObject({ pod: { name: 'p', uid: metadata.uid } });
    },
  },
  {
    title: 'a token may be bound to a secret, and is refused for a missing one',
    run: async (t) => {
      const namespace = await t.namespace();
      const { metadata } = await t.must('POST', core(namespace, 'secrets'), { metadata: { name: 's' } });
      const ref = { kind: 'Secret', apiVersion: 'v1', name: 's' };
      const claims = claimsOf(await tokenOf(t, namespace, { boundObjectRef: ref }));
      expect(claims['kubernetes.io']).toMatchObject({ secret: { name: 's', uid: metadata.uid } });
      const path = `${core(namespace, 'serviceaccounts', 'default')}/token`;
      expectRefusal(await t.request('POST', path, { spec: { boundObjectRef: { ...ref, name: 'none' } } }), {
        code: 404,
        message: 'secrets "none" not found',
      });
    },
  },
  {
    title: 'a token of an account that is gone is unauthorized',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', core(namespace, 'serviceaccounts'), { metadata: { name: 'short' } });
      const token = await tokenOf(t, namespace, {}, 'short');
      await t.must('DELETE', core(namespace, 'serviceaccounts', 'short'));
      await gone(t, core(namespace, 'serviceaccounts', 'short'));
      const { status } = await t.must('POST', reviews, { spec: { token } });
      expect(status).not.toMatchObject({ authenticated: true });
    },
  },
  {
    title: 'a token of an account that does not exist is not found',
    run: async (t) => {
      const path = `${core(await t.namespace(), 'serviceaccounts', 'none')}/token`;
      expectRefusal(await t.request('POST', path, { spec: {} }), {
        code: 404,
        message: 'serviceaccounts "none" not found',
      });
    },
  },
  {
    title: 'a token that lasts less than ten minutes is refused',
    run: async (t) => {
      const path = `${core(await t.namespace(), 'serviceaccounts', 'default')}/token`;
      expectRefusal(await t.request('POST', path, { spec: { expirationSeconds: 60 } }), {
        code: 422,
        reason: 'Invalid',
        message: /spec\.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes/,
      });
    },
  },
  {
    title: 'a token that lasts more than 2^32 seconds is refused',
    run: async (t) => {
      const path = `${core(await t.namespace(), 'serviceaccounts', 'default')}/token`;
      expectRefusal(await t.request('POST', path, { spec: { expirationSeconds: 2 ** 32 + 1 } }), {
        code: 422,
        reason: 'Invalid',
        message:
          /spec\.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2\^32 seconds/,
      });
    },
  },
  {
    title: 'a token can be reviewed',
    run: async (t) => {
      const namespace = await t.namespace();
      const { status } = await t.must('POST', reviews, { spec: { token: await tokenOf(t, namespace) } });
      expect(status).toMatchObject({
        authenticated: true,
        user: { username: `system:serviceaccount:${namespace}:default` },
        audiences: ['https://kubernetes.default.svc.cluster.local'],
      });
    },
  },
  {
    title: 'a garbled token is reviewed as not authenticated',
    run: async (t) => {
      const { status } = await t.must('POST', reviews, { spec: { token: 'nonsense' } });
      expect(status['authenticated']).toBeUndefined();
    },
  },
  {
    title: 'a review without a token is refused',
    run: async (t) =>
      expectRefusal(await t.request('POST', reviews, { spec: {} }), {
        code: 400,
        reason: 'BadRequest',
        message: 'token is required for TokenReview in authentication',
      }),
  },
  {
    title: 'a pod gets a volume with the token of its account',
    run: async (t) => {
      const namespace = await t.namespace();
      const { spec } = await t.must('POST', pods(namespace), pod('p'));
      expect(spec).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
      const [volume] = spec['volumes'] as { name: string; projected: Fields }[];
      expect(volume?.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
      expect(volume?.projected).toEqual({
        defaultMode: 420,
        sources: [
          { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
          { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          {
            downwardAPI: {
              items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
            },
          },
        ],
      });
      const [container] = spec['containers'] as { volumeMounts: Fields[] }[];
      expect(container?.volumeMounts).toEqual([
        { name: volume?.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
      ]);
    },
  },
  {
    title: 'a pod of an account that does not exist is forbidden',
    run: async (t) => {
      const namespace = await t.namespace();
      expectRefusal(await t.request('POST', pods(namespace), pod('p', { serviceAccountName: 'none' })), {
        code: 403,
        reason: 'Forbidden',
        message: `pods "p" is forbidden: error looking up service account ${namespace}/none: serviceaccount "none" not found`,
      });
    },
  },
];
