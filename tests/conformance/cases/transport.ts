import { request as httpRequest } from 'node:http';
import { connect } from 'node:http2';
import { createRequester } from '../../support/api-request.ts';
import { createCertificateAuthority } from '../../support/certificates.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { core } from '../support/paths.ts';
import { allowed } from '../support/rbac.ts';
import type { Case, Target } from '../support/target.ts';

/** A GET over HTTP/2, by the bearer of a token or by nobody. */
function overHttp2(
  t: Target,
  paths: readonly string[],
  token?: string,
): Promise<readonly { status: number; text: string }[]> {
  const session = connect(t.url, { ca: t.caCert });
  const get = (path: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const stream = session.request({
        ':path': path,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      });
      let status = 0;
      let text = '';
      stream.setEncoding('utf8');
      stream.on('response', (headers) => (status = headers[':status'] ?? 0));
      stream.on('data', (chunk: string) => (text += chunk));
      stream.on('end', () => resolve({ status, text }));
      stream.on('error', reject);
    });
  session.on('error', () => undefined);
  return Promise.all(paths.map(get)).finally(() => session.close());
}

/** A token of an account that may do everything in its own namespace. */
async function account(t: Target): Promise<{ readonly namespace: string; readonly token: string }> {
  const namespace = await t.namespace();
  await t.must('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    metadata: { name: 'admin' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
  });
  const { status } = await t.must('POST', `${core(namespace, 'serviceaccounts', 'default')}/token`, { spec: {} });
  const token = String(status['token']);
  await allowed(t.withToken(token), 'GET', core(namespace, 'secrets'));
  return { namespace, token };
}

export const cases: readonly Case[] = [
  {
    title: 'HTTP/2 is spoken, many requests at once on one connection',
    run: async (t) => {
      const { namespace, token } = await account(t);
      const answers = await overHttp2(
        t,
        Array.from({ length: 20 }, () => core(namespace, 'secrets')),
        token,
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    },
  },
  {
    title: 'a watch over HTTP/2 ends in order after its timeout',
    run: async (t) => {
      const { namespace, token } = await account(t);
      await t.must('POST', core(namespace, 'secrets'), { metadata: { name: 'x' } });
      const [answer] = await overHttp2(t, [`${core(namespace, 'secrets')}?watch=1&timeoutSeconds=1`], token);
      expect(answer?.status).toBe(200);
      expect(JSON.parse(answer?.text ?? '')).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'x' } } });
    },
  },
  {
    title: 'plain HTTP on the port of HTTPS is told so',
    run: async (t) => {
      const { port } = new URL(t.url);
      const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
        const request = httpRequest({ host: '127.0.0.1', port, path: '/version' }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        });
        request.on('error', reject);
        request.end();
      });
      expect(answer).toEqual({ status: 400, text: 'Client sent an HTTP request to an HTTPS server.\n' });
    },
  },
  {
    title: 'a certificate of a stranger is nobody, and unauthorized',
    run: async (t) => {
      const stranger = createCertificateAuthority('stranger').issue({
        commonName: 'admin',
        organizations: ['system:masters'],
        usages: ['client'],
      });
      const request = createRequester({ url: t.url, ca: t.caCert, ...stranger });
      try {
        expectRefusal(await request('GET', '/api/v1/namespaces'), {
          code: 401,
          reason: 'Unauthorized',
          message: 'Unauthorized',
        });
      } finally {
        request.close();
      }
    },
  },
  {
    title: 'an authorization that the server does not understand is that of nobody',
    run: async (t) =>
      expectRefusal(
        await t.anonymous().request('GET', '/api/v1/namespaces', undefined, { authorization: 'nonsense' }),
        {
          code: 403,
          message:
            'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
        },
      ),
  },
];
