import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import type { Case, Target } from '../support/target.ts';

export const cases: readonly Case[] = [
  {
    title: '/version says which Kubernetes it behaves like',
    run: async (t) => {
      const answer = await t.request('GET', '/version');
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.body).toMatchObject({ major: '1', minor: '36', gitVersion: expect.stringMatching(/^v1\.36\./) });
    },
  },
  ...['/healthz', '/livez', '/readyz'].map((path) => ({
    title: `${path} says ok`,
    run: async (t: Target) => {
      const answer = await t.request('GET', path);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe('ok');
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    },
  })),
  {
    title: '/readyz?verbose lists its checks and ends with a verdict',
    run: async (t) => {
      const { text } = await t.request('GET', '/readyz?verbose');
      expect(text).toMatch(/^\[\+\]ping ok\n/);
      expect(text).toMatch(/readyz check passed\n$/);
    },
  },
  {
    title: 'health and version are open to anybody',
    run: async (t) => {
      const nobody = t.anonymous();
      for (const path of ['/healthz', '/livez', '/readyz', '/version'])
        expect((await nobody.request('GET', path)).status).toBe(200);
    },
  },
  {
    title: 'a path outside the API is not found',
    run: async (t) => {
      const answer = await t.request('GET', '/no/such/path');
      expect(answer.status).toBe(404);
      expect(answer.text).toBe('404 page not found\n');
    },
  },
  {
    title: 'the root lists the paths there are',
    run: async (t) => {
      const { paths } = (await t.must('GET', '/')) as unknown as { paths: string[] };
      for (const path of ['/api', '/api/v1', '/apis', '/apis/batch/v1', '/healthz', '/openapi/v3', '/version'])
        expect(paths).toContain(path);
    },
  },
  {
    title: '/openapi/v3 points to a document for each group version',
    run: async (t) => {
      const { paths } = (await t.must('GET', '/openapi/v3')) as unknown as {
        paths: Record<string, { serverRelativeURL: string }>;
      };
      for (const path of ['api/v1', 'apis/batch/v1', 'apis/networking.k8s.io/v1', 'apis/apiextensions.k8s.io/v1'])
        expect(paths[path]?.serverRelativeURL).toMatch(new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-F]+$`));
    },
  },
  {
    title: 'the OpenAPI document of a version says what a pod is, and how its lists merge',
    run: async (t) => {
      const answer = await t.must('GET', '/openapi/v3/api/v1');
      expect(answer).toMatchObject({ openapi: '3.0.0' });
      const { schemas } = answer['components'] as { schemas: Record<string, { properties: Record<string, object> }> };
      expect(schemas['io.k8s.api.core.v1.Pod']).toMatchObject({
        'x-kubernetes-group-version-kind': [{ group: '', kind: 'Pod', version: 'v1' }],
      });
      expect(schemas['io.k8s.api.core.v1.PodSpec']?.properties['containers']).toMatchObject({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'name',
      });
    },
  },
  {
    title: 'the OpenAPI document of a version lists its paths with their actions',
    run: async (t) => {
      const answer = await t.must('GET', '/openapi/v3/apis/batch/v1');
      const paths = answer['paths'] as Record<string, object>;
      expect(paths['/apis/batch/v1/namespaces/{namespace}/jobs/{name}']).toMatchObject({
        patch: {
          'x-kubernetes-action': 'patch',
          'x-kubernetes-group-version-kind': { group: 'batch', kind: 'Job', version: 'v1' },
        },
      });
    },
  },
  {
    title: 'a method that a path does not have is refused',
    run: async (t) =>
      expectRefusal(await t.request('PUT', '/api/v1/namespaces'), {
        code: 405,
        reason: 'MethodNotAllowed',
        message: 'the server does not allow this method on the requested resource',
      }),
  },
];
