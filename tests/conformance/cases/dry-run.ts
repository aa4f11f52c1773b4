import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap, patchType, pod, service } from '../support/objects.ts';
import { configMaps, core, pods, services } from '../support/paths.ts';
import type { Case } from '../support/target.ts';

export const cases: readonly Case[] = [
  {
    title: 'a dry create answers the object with its defaults, without a version, and stores nothing',
    run: async (t) => {
      const namespace = await t.namespace();
      const answer = await t.request('POST', `${services(namespace)}?dryRun=All`, service('s', { clusterIP: 'None' }));
      expect(answer.status).toBe(201);
      const { metadata } = answer.body as { metadata: object };
      expect(metadata).toMatchObject({ name: 's', uid: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(metadata).not.toHaveProperty('resourceVersion');
      expectRefusal(await t.request('GET', services(namespace, 's')), { code: 404 });
    },
  },
  {
    title: 'a dry create with generateName shows a name',
    run: async (t) => {
      const path = `${configMaps(await t.namespace())}?dryRun=All`;
      const made = await t.must('POST', path, { metadata: { generateName: 'g-' } });
      expect(made.metadata.name).toMatch(/^g-.{5}$/);
    },
  },
  {
    title: 'a dry create of what exists is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      expectRefusal(await t.request('POST', `${configMaps(namespace)}?dryRun=All`, configMap('x')), {
        code: 409,
        reason: 'AlreadyExists',
      });
    },
  },
  {
    title: 'a dry create is validated',
    run: async (t) => {
      const namespace = await t.namespace();
      expectRefusal(await t.request('POST', `${configMaps(namespace)}?dryRun=All`, configMap('BAD')), { code: 422 });
    },
  },
  {
    title: 'a dry update answers the outcome and keeps the stored object',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', configMaps(namespace), configMap('x', { a: '1' }));
      const path = configMaps(namespace, 'x');
      const dry = await t.must('PUT', `${path}?dryRun=All`, configMap('x', { a: '2' }));
      expect(dry.data).toEqual({ a: '2' });
      expect(dry.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
      expect(await t.must('GET', path)).toEqual(made);
    },
  },
  {
    title: 'a dry patch answers the outcome and keeps the stored object',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', configMaps(namespace), configMap('x', { a: '1' }));
      const path = configMaps(namespace, 'x');
      const dry = await t.must('PATCH', `${path}?dryRun=All`, { data: { b: '2' } }, patchType.merge);
      expect(dry.data).toEqual({ a: '1', b: '2' });
      expect(await t.must('GET', path)).toEqual(made);
    },
  },
  {
    title: 'a dry delete leaves the object alone',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', configMaps(namespace), configMap('x'));
      const path = configMaps(namespace, 'x');
      expect((await t.request('DELETE', `${path}?dryRun=All`)).status).toBe(200);
      expect((await t.request('DELETE', path, { dryRun: ['All'] })).status).toBe(200);
      expect(await t.must('GET', path)).toEqual(made);
    },
  },
  {
    title: 'a dry deletion of a collection leaves it alone',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', core(namespace, 'secrets'), { metadata: { name: 'x' } });
      await t.must('DELETE', `${core(namespace, 'secrets')}?dryRun=All`);
      expect((await t.list(core(namespace, 'secrets'))).items).toHaveLength(1);
    },
  },
  {
    title: 'a dry write of a status leaves it alone',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', pods(namespace), pod('p'));
      const dry = await t.must('PUT', `${pods(namespace, 'p')}/status?dryRun=All`, {
        ...made,
        status: { phase: 'Running' },
      });
      expect(dry.status).toMatchObject({ phase: 'Running' });
      expect((await t.must('GET', pods(namespace, 'p'))).status).toMatchObject({ phase: 'Pending' });
    },
  },
  {
    title: 'a dry service gets no address',
    run: async (t) => {
      const namespace = await t.namespace();
      const dry = await t.must('POST', `${services(namespace)}?dryRun=All`, service('s'));
      expect(dry.metadata.name).toBe('s');
    },
  },
  ...(['POST', 'PUT', 'PATCH', 'DELETE'] as const).map(
    (verb): Case => ({
      title: `an unknown value of dryRun is refused by ${verb}`,
      run: async (t) => {
        const namespace = await t.namespace();
        await t.must('POST', configMaps(namespace), configMap('x'));
        const path = verb === 'POST' ? configMaps(namespace) : configMaps(namespace, 'x');
        const options = { POST: 'CreateOptions', PUT: 'UpdateOptions', PATCH: 'PatchOptions', DELETE: 'DeleteOptions' };
        const headers = verb === 'PATCH' ? patchType.merge : {};
        const body = verb === 'DELETE' ? undefined : configMap('x');
        expectRefusal(await t.request(verb, `${path}?dryRun=Some`, body, headers), {
          code: 422,
          reason: 'Invalid',
          message: `${options[verb]}.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"`,
        });
      },
    }),
  ),
];
