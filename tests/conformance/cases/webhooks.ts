import { eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal, warningsOf } from '../support/expect-status.ts';
import { configMap } from '../support/objects.ts';
import { configMaps } from '../support/paths.ts';
import type { Case, Fields, Target } from '../support/target.ts';
import { type Decide, foreignCaBundle, startWebhook, type Webhook } from '../support/webhook.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

interface Guarded {
  readonly namespace: string;
  readonly webhook: Webhook;
}

/** Puts a webhook before the config maps of a new namespace, and waits until it is asked. */
async function guarded(
  t: Target,
  decide: Decide,
  use: (guard: Guarded) => Promise<void>,
  settings: { readonly webhook?: Fields; readonly isAnswering?: boolean; readonly caBundle?: string } = {},
): Promise<void> {
  const namespace = await t.namespace();
  const isProbe = (name: unknown) => String(name).startsWith('probe');
  const hook = await startWebhook((request) => (isProbe(request.name) ? { allowed: false } : decide(request)));
  const name = t.unique('hook');
  await t.must('POST', configurations, {
    metadata: { name },
    webhooks: [
      {
        name: 'check.example.com',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: hook.url, caBundle: settings.caBundle ?? hook.caBundle },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }],
        ...settings.webhook,
      },
    ],
  });
  try {
    await eventuallyHolds(async () => {
      if (settings.isAnswering === false) return;
      const answer = await t.request('POST', `${configMaps(namespace)}?dryRun=All`, configMap(t.unique('probe')));
      expect(answer.status).toBeGreaterThanOrEqual(400);
    });
    await use({ namespace, webhook: hook });
  } finally {
    await t.must('DELETE', `${configurations}/${name}`);
    hook.close();
  }
}

const refuse = (status: Fields = {}) => ({ allowed: false, status });

export const cases: readonly Case[] = [
  {
    title: 'a webhook that allows lets a request through, having seen it whole',
    run: (t) =>
      guarded(
        t,
        () => ({ allowed: true }),
        async ({ namespace, webhook }) => {
          await t.must('POST', configMaps(namespace), configMap('x', { a: '1' }));
          expect(webhook.requests.at(-1)).toMatchObject({
            operation: 'CREATE',
            name: 'x',
            namespace,
            kind: { group: '', version: 'v1', kind: 'ConfigMap' },
            resource: { group: '', version: 'v1', resource: 'configmaps' },
            requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
            userInfo: { username: 'conformance-admin', groups: ['system:masters', 'system:authenticated'] },
            object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace }, data: { a: '1' } },
            oldObject: null,
            dryRun: false,
            options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
          });
        },
      ),
  },
  {
    title: 'a webhook that refuses is quoted',
    run: (t) =>
      guarded(
        t,
        () => refuse({ message: 'not today' }),
        async ({ namespace }) =>
          expectRefusal(await t.request('POST', configMaps(namespace), configMap('x')), {
            code: 400,
            message: 'admission webhook "check.example.com" denied the request: not today',
          }),
      ),
  },
  {
    title: 'a webhook that refuses in silence is named',
    run: (t) =>
      guarded(
        t,
        () => ({ allowed: false }),
        async ({ namespace }) =>
          expectRefusal(await t.request('POST', configMaps(namespace), configMap('x')), {
            code: 400,
            message: 'admission webhook "check.example.com" denied the request without explanation',
          }),
      ),
  },
  {
    title: 'a webhook chooses code and reason of its refusal',
    run: (t) =>
      guarded(
        t,
        () => refuse({ message: 'wrong', code: 422, reason: 'Invalid' }),
        async ({ namespace }) =>
          expectRefusal(await t.request('POST', configMaps(namespace), configMap('x')), {
            code: 422,
            reason: 'Invalid',
            message: 'admission webhook "check.example.com" denied the request: wrong',
          }),
      ),
  },
  {
    title: 'warnings of a webhook reach the user',
    run: (t) =>
      guarded(
        t,
        () => ({ allowed: true, warnings: ['think again'] }),
        async ({ namespace }) => {
          const answer = await t.request('POST', configMaps(namespace), configMap('x'));
          expect(answer.status).toBe(201);
          expect(warningsOf(answer)).toEqual(['think again']);
        },
      ),
  },
  {
    title: 'an update shows old and new, a delete only the old',
    run: (t) =>
      guarded(
        t,
        () => ({ allowed: true }),
        async ({ namespace, webhook }) => {
          await t.must('POST', configMaps(namespace), configMap('x', { a: '1' }));
          await t.must('PUT', configMaps(namespace, 'x'), configMap('x', { a: '2' }));
          expect(webhook.requests.at(-1)).toMatchObject({
            operation: 'UPDATE',
            object: { data: { a: '2' } },
            oldObject: { data: { a: '1' } },
          });
          await t.must('DELETE', configMaps(namespace, 'x'));
          expect(webhook.requests.at(-1)).toMatchObject({
            operation: 'DELETE',
            object: null,
            oldObject: { data: { a: '2' } },
          });
        },
      ),
  },
  {
    title: 'a refused delete leaves the object',
    run: (t) =>
      guarded(
        t,
        ({ operation }) => (operation === 'DELETE' ? refuse({ message: 'keep it' }) : { allowed: true }),
        async ({ namespace }) => {
          await t.must('POST', configMaps(namespace), configMap('x'));
          expectRefusal(await t.request('DELETE', configMaps(namespace, 'x')), { code: 400, message: /keep it$/ });
          await t.must('GET', configMaps(namespace, 'x'));
        },
      ),
  },
  {
    title: 'a webhook sees a dry run as one',
    run: (t) =>
      guarded(
        t,
        () => ({ allowed: true }),
        async ({ namespace, webhook }) => {
          await t.must('POST', `${configMaps(namespace)}?dryRun=All`, configMap('x'));
          expect(webhook.requests.at(-1)).toMatchObject({ dryRun: true, options: { dryRun: ['All'] } });
        },
      ),
  },
  {
    title: 'a webhook sees the object after its defaults, and not before other checks',
    run: (t) =>
      guarded(
        t,
        () => ({ allowed: true }),
        async ({ namespace, webhook }) => {
          const before = webhook.requests.length;
          expectRefusal(await t.request('POST', configMaps(namespace), configMap('BAD')), { code: 422 });
          expect(webhook.requests.slice(before).map(({ name }) => name)).toEqual([]);
        },
      ),
  },
  {
    title: 'a webhook that cannot be reached fails the request where its policy says Fail',
    run: (t) =>
      guarded(
        t,
        () => ({ allowed: true }),
        async ({ namespace, webhook }) => {
          webhook.close();
          expectRefusal(await t.request('POST', configMaps(namespace), configMap('x')), {
            code: 500,
            reason: 'InternalError',
            message:
              /^Internal error occurred: failed calling webhook "check\.example\.com": failed to call webhook: Post "https:\/\/127\.0\.0\.1:\d+\/check\?timeout=10s": /,
          });
        },
      ),
  },
  {
    title: 'a webhook that cannot be reached is passed over where its policy says Ignore',
    run: (t) =>
      guarded(
        t,
        () => ({ allowed: true }),
        async ({ namespace, webhook }) => {
          webhook.close();
          expect((await t.request('POST', configMaps(namespace), configMap('x'))).status).toBe(201);
        },
        { webhook: { failurePolicy: 'Ignore' } },
      ),
  },
  {
    title: 'a webhook that does not answer in time fails the request',
    run: (t) =>
      guarded(
        t,
        () => undefined,
        async ({ namespace }) =>
          expectRefusal(await t.request('POST', configMaps(namespace), configMap('x')), {
            code: 500,
            message:
              /failed calling webhook "check\.example\.com": failed to call webhook: Post "https:\/\/127\.0\.0\.1:\d+\/check\?timeout=1s": context deadline exceeded/,
          }),
        { webhook: { timeoutSeconds: 1 } },
      ),
  },
  {
    title: 'a webhook with a certificate that does not fit fails the request',
    run: (t) =>
      guarded(
        t,
        () => ({ allowed: true }),
        async ({ namespace, webhook }) => {
          await eventuallyHolds(async () =>
            expectRefusal(await t.request('POST', configMaps(namespace), configMap(t.unique('x'))), {
              code: 500,
              reason: 'InternalError',
              message: /failed calling webhook "check\.example\.com": failed to call webhook: Post .*certificate/,
            }),
          );
          expect(webhook.requests).toEqual([]);
        },
        { caBundle: foreignCaBundle, isAnswering: false },
      ),
  },
  {
    title: 'only the operations that are asked for are checked',
    run: (t) =>
      guarded(
        t,
        () => refuse({ message: 'no' }),
        async ({ namespace }) => {
          expectRefusal(await t.request('POST', configMaps(namespace), configMap('x')), { code: 400 });
          expect((await t.request('GET', configMaps(namespace))).status).toBe(200);
          expect((await t.request('DELETE', configMaps(namespace, 'kube-root-ca.crt'))).status).toBe(200);
        },
        {
          webhook: {
            rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
          },
        },
      ),
  },
  {
    title: 'only objects that match the selector are checked',
    run: (t) =>
      guarded(
        t,
        () => refuse({ message: 'no' }),
        async ({ namespace }) => {
          expect((await t.request('POST', configMaps(namespace), configMap('x'))).status).toBe(201);
          await eventuallyHolds(async () => {
            const labelled = configMap(t.unique('y'), {}, { labels: { guarded: 'yes' } });
            expectRefusal(await t.request('POST', `${configMaps(namespace)}?dryRun=All`, labelled), { code: 400 });
          });
        },
        { webhook: { objectSelector: { matchLabels: { guarded: 'yes' } } }, isAnswering: false },
      ),
  },
  {
    title: 'only requests that its conditions match are checked',
    run: (t) =>
      guarded(
        t,
        () => refuse({ message: 'no' }),
        async ({ namespace }) => {
          await eventuallyHolds(async () =>
            expectRefusal(await t.request('POST', `${configMaps(namespace)}?dryRun=All`, configMap('guarded')), {
              code: 400,
            }),
          );
          expect((await t.request('POST', configMaps(namespace), configMap('free'))).status).toBe(201);
        },
        {
          webhook: { matchConditions: [{ name: 'named', expression: "object.metadata.name == 'guarded'" }] },
          isAnswering: false,
        },
      ),
  },
];
