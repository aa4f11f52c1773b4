import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap, pod } from '../support/objects.ts';
import { configMaps, core, pods } from '../support/paths.ts';
import type { Case, Target, WatchEvent } from '../support/target.ts';

const brief = ({ type, object }: WatchEvent) => `${type} ${object.metadata.name}`;

/** A namespace's secrets: nobody but the case writes there. */
async function quiet(t: Target): Promise<{ readonly path: string; readonly version: string }> {
  const path = core(await t.namespace(), 'secrets');
  return { path, version: (await t.list(path)).metadata.resourceVersion };
}

const secret = (name: string, labels: object = {}) => ({ metadata: { name, labels } });

export const cases: readonly Case[] = [
  {
    title: 'a watch from a version tells what happened since, in order',
    run: async (t) => {
      const { path, version } = await quiet(t);
      await t.must('POST', path, secret('a'));
      await t.must('PUT', `${path}/a`, secret('a', { x: 'y' }));
      await t.must('DELETE', `${path}/a`);
      const watch = await t.watch(`${path}?watch=true&resourceVersion=${version}`);
      const events = [await watch.next(), await watch.next(), await watch.next()];
      expect(events.map(brief)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
      expect(watch.contentType).toBe('application/json');
      watch.close();
    },
  },
  {
    title: 'watched objects carry kind and apiVersion, and the version of their write',
    run: async (t) => {
      const { path, version } = await quiet(t);
      const made = await t.must('POST', path, secret('a'));
      const watch = await t.watch(`${path}?watch=true&resourceVersion=${version}`);
      expect((await watch.next()).object).toEqual(made);
      watch.close();
    },
  },
  {
    title: 'a deleted object carries the version of its deletion',
    run: async (t) => {
      const { path } = await quiet(t);
      const made = await t.must('POST', path, secret('a'));
      await t.must('DELETE', `${path}/a`);
      const watch = await t.watch(`${path}?watch=true&resourceVersion=${made.metadata.resourceVersion}`);
      const { type, object } = await watch.next();
      expect(type).toBe('DELETED');
      expect(object.metadata.uid).toBe(made.metadata.uid);
      expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
      watch.close();
    },
  },
  ...['', '&resourceVersion=0'].map(
    (version): Case => ({
      title: `a watch ${version === '' ? 'without a version' : 'from version 0'} begins with what is there`,
      run: async (t) => {
        const { path } = await quiet(t);
        await t.must('POST', path, secret('a'));
        await t.must('POST', path, secret('b'));
        // A cache that is behind tells the rest as it arrives.
        const watch = await t.watch(`${path}?watch=true${version}`);
        expect([brief(await watch.next()), brief(await watch.next())]).toEqual(['ADDED a', 'ADDED b']);
        await t.must('DELETE', `${path}/a`);
        expect(brief(await watch.next())).toBe('DELETED a');
        watch.close();
      },
    }),
  ),
  {
    title: 'a watch of one object by name sees only that one',
    run: async (t) => {
      const { path, version } = await quiet(t);
      const query = `watch=true&resourceVersion=${version}&fieldSelector=metadata.name%3Db`;
      const watch = await t.watch(`${path}?${query}`);
      await t.must('POST', path, secret('a'));
      await t.must('POST', path, secret('b'));
      expect(brief(await watch.next())).toBe('ADDED b');
      watch.close();
    },
  },
  {
    title: 'the old way of watching one object works',
    run: async (t) => {
      const { path } = await quiet(t);
      const made = await t.must('POST', path, secret('a'));
      const old = path.replace('/api/v1/', '/api/v1/watch/');
      const watch = await t.watch(`${old}/a?resourceVersion=${made.metadata.resourceVersion}`);
      await t.must('PUT', `${path}/a`, secret('a', { x: 'y' }));
      expect(brief(await watch.next())).toBe('MODIFIED a');
      watch.close();
    },
  },
  {
    title: 'an object that comes to match a selector is added, one that ceases to is deleted',
    run: async (t) => {
      const { path, version } = await quiet(t);
      const watch = await t.watch(`${path}?watch=true&resourceVersion=${version}&labelSelector=seen`);
      await t.must('POST', path, secret('a'));
      await t.must('PUT', `${path}/a`, secret('a', { seen: '1' }));
      await t.must('PUT', `${path}/a`, secret('a', { seen: '2' }));
      const unseen = await t.must('PUT', `${path}/a`, secret('a'));
      const events = [await watch.next(), await watch.next(), await watch.next()];
      expect(events.map(brief)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
      const last = events[2]?.object.metadata;
      expect(last?.labels).toEqual({ seen: '2' });
      expect(last?.resourceVersion).toBe(unseen.metadata.resourceVersion);
      watch.close();
    },
  },
  {
    title: 'a pod that leaves a field selector is deleted from its watch',
    run: async (t) => {
      const namespace = await t.namespace();
      const { metadata } = await t.list(pods(namespace));
      const query = `watch=1&resourceVersion=${metadata.resourceVersion}&fieldSelector=spec.nodeName%3D`;
      const watch = await t.watch(`${pods(namespace)}?${query}`);
      await t.must('POST', pods(namespace), pod('p'));
      await t.must('POST', `${pods(namespace, 'p')}/binding`, {
        metadata: { name: 'p' },
        target: { kind: 'Node', name: 'n1' },
      });
      const events = await watch.until(({ type }) => type === 'DELETED');
      expect(events.map(brief)).toEqual(['ADDED p', 'DELETED p']);
      expect(events[1]?.object.spec).not.toHaveProperty('nodeName');
      watch.close();
    },
  },
  {
    title: 'a watch ends in order after its timeout',
    run: async (t) => {
      const { path, version } = await quiet(t);
      await t.must('POST', path, secret('a'));
      const watch = await t.watch(`${path}?watch=true&resourceVersion=${version}&timeoutSeconds=1`);
      expect((await watch.rest()).map(brief)).toEqual(['ADDED a']);
    },
  },
  {
    title: 'a watch that allows bookmarks gets one before it times out',
    run: async (t) => {
      const { path, version } = await quiet(t);
      const query = `watch=true&resourceVersion=${version}&allowWatchBookmarks=true&timeoutSeconds=3`;
      const watch = await t.watch(`${path}?${query}`);
      const events = await watch.rest();
      const bookmark = events.findLast(({ type }) => type === 'BOOKMARK');
      expect(bookmark?.object).toMatchObject({ kind: 'Secret', apiVersion: 'v1' });
      expect(Number(bookmark?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(version));
    },
  },
  {
    title: 'a watch over all namespaces sees each of them',
    run: async (t) => {
      const label = t.unique('w');
      const one = await quiet(t);
      const two = await quiet(t);
      const query = `watch=true&resourceVersion=${one.version}&labelSelector=label%3D${label}`;
      const watch = await t.watch(`/api/v1/secrets?${query}`);
      await t.must('POST', one.path, secret('a', { label }));
      await t.must('POST', two.path, secret('b', { label }));
      expect([brief(await watch.next()), brief(await watch.next())]).toEqual(['ADDED a', 'ADDED b']);
      watch.close();
    },
  },
  {
    title: 'a watch from a garbled version is refused',
    run: async (t) => {
      const { path } = await quiet(t);
      const watch = await t.watch(`${path}?watch=true&resourceVersion=abc`);
      expect(watch.status).toBeGreaterThanOrEqual(400);
      expect(watch.refusal?.body).toMatchObject({
        kind: 'Status',
        status: 'Failure',
        message: expect.stringContaining('parsing "abc": invalid syntax'),
      });
    },
  },
  {
    title: 'a watch with a version match but no initial events is refused',
    run: async (t) => {
      const { path } = await quiet(t);
      const watch = await t.watch(`${path}?watch=true&resourceVersion=1&resourceVersionMatch=NotOlderThan`);
      expectRefusal(watch.refusal, {
        code: 422,
        message:
          'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      });
    },
  },
  {
    title: 'a watch of a kind that cannot be watched is refused',
    run: async (t) => {
      const answer = await t.request('GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?watch=true');
      expectRefusal(answer, { code: 405, reason: 'MethodNotAllowed' });
    },
  },
  {
    title: 'a watch can be asked for as a table, and for metadata only',
    run: async (t) => {
      const { path, version } = await quiet(t);
      await t.must('POST', path, secret('a'));
      const table = await t.watch(`${path}?watch=true&resourceVersion=${version}`, {
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      });
      expect((await table.next()).object).toMatchObject({
        kind: 'Table',
        rows: [{ cells: ['a', 'Opaque', 0, expect.anything()] }],
      });
      table.close();
      const partial = await t.watch(`${path}?watch=true&resourceVersion=${version}`, {
        accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      });
      const { object } = await partial.next();
      expect(object).toMatchObject({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { name: 'a' },
      });
      expect(object).not.toHaveProperty('type');
      partial.close();
    },
  },
  {
    title: 'every watcher is told everything',
    run: async (t) => {
      const namespace = await t.namespace();
      const { metadata } = await t.list(configMaps(namespace));
      const query = `watch=1&resourceVersion=${metadata.resourceVersion}&labelSelector=many`;
      const watches = await Promise.all(Array.from({ length: 10 }, () => t.watch(`${configMaps(namespace)}?${query}`)));
      const names = Array.from({ length: 10 }, (_, index) => `x${index}`);
      for (const name of names)
        await t.must('POST', configMaps(namespace), configMap(name, {}, { labels: { many: '' } }));
      for (const watch of watches) {
        const events = await watch.until(({ object }) => object.metadata.name === 'x9');
        expect(events.map(brief)).toEqual(names.map((name) => `ADDED ${name}`));
        watch.close();
      }
    },
  },
];
