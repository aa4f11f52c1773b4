import { createWidgets } from '../support/custom-resources.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { patchType, pod, service } from '../support/objects.ts';
import { core, pods, services } from '../support/paths.ts';
import type { Case, Target } from '../support/target.ts';

type Method = 'DELETE' | 'POST' | 'PUT' | 'PATCH' | 'GET';

const send = (t: Target, method: Method, path: string) =>
  t.request(
    method,
    path,
    method === 'GET' || method === 'DELETE' ? undefined : {},
    method === 'PATCH' ? patchType.merge : {},
  );

const notAllowed = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
} as const;
const noSuchPath = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
} as const;

const refusedOfPods: Readonly<Record<string, readonly Method[]>> = {
  status: ['DELETE', 'POST'],
  resize: ['DELETE', 'POST'],
  ephemeralcontainers: ['DELETE', 'POST'],
  eviction: ['DELETE', 'PUT', 'PATCH', 'GET'],
  binding: ['DELETE', 'PUT', 'PATCH', 'GET'],
};

export const cases: readonly Case[] = [
  ...Object.entries(refusedOfPods).map(
    ([subresource, methods]): Case => ({
      title: `pods/${subresource} takes no ${methods.join(', ')}, and the pod stays`,
      run: async (t) => {
        const namespace = await t.namespace();
        const { metadata } = await t.must('POST', pods(namespace), pod('p'));
        for (const method of methods)
          expectRefusal(await send(t, method, `${pods(namespace, 'p')}/${subresource}`), notAllowed);
        expect((await t.must('GET', pods(namespace, 'p'))).metadata).toEqual(metadata);
      },
    }),
  ),
  {
    title: 'a subresource that a built-in kind does not have is no path, whatever is asked of it',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', services(namespace), service('s'));
      for (const method of ['DELETE', 'POST', 'PUT', 'PATCH', 'GET'] as const)
        expectRefusal(await send(t, method, `${services(namespace, 's')}/scale`), noSuchPath);
    },
  },
  {
    title: 'tokens can only be asked for, and a namespace only finalized by an update',
    run: async (t) => {
      const namespace = await t.namespace();
      for (const method of ['DELETE', 'PUT', 'PATCH', 'GET'] as const)
        expectRefusal(await send(t, method, `${core(namespace, 'serviceaccounts', 'default')}/token`), notAllowed);
      for (const method of ['DELETE', 'POST', 'PATCH', 'GET'] as const)
        expectRefusal(await send(t, method, `/api/v1/namespaces/${namespace}/finalize`), notAllowed);
    },
  },
  {
    title: 'a custom resource names itself when a subresource is missing or does not take a verb',
    run: async (t) => {
      const widgets = await createWidgets(t, { version: { subresources: { status: {} } } });
      const namespace = await t.namespace();
      const path = widgets.path(namespace, 'w');
      await t.must('POST', widgets.path(namespace), widgets.object('w'));
      const kind = `widgets.${widgets.group}`;
      for (const [method, verb] of [
        ['DELETE', 'delete'],
        ['POST', 'create'],
      ] as const) {
        const message = `${verb} is not supported on resources of kind "${kind}"`;
        expectRefusal(await send(t, method, `${path}/status`), { code: 405, reason: 'MethodNotAllowed', message });
      }
      for (const method of ['DELETE', 'POST', 'PUT', 'PATCH', 'GET'] as const) {
        const message = `${kind} "w" not found`;
        expectRefusal(await send(t, method, `${path}/scale`), { code: 404, reason: 'NotFound', message });
      }
      await t.must('GET', path);
    },
  },
];
