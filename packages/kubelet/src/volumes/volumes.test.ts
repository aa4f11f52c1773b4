import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Volume } from '@manta/api';
import { afterAll, describe, expect, it } from 'vitest';
import {
  memoryFolders,
  mountsOf,
  prepareVolume,
  type ReadyVolume,
  sharedMemoryBytes,
  type VolumeSources,
} from './volumes.ts';

const meta = (name: string) => ({ name, namespace: 'default', uid: name, resourceVersion: '1' });
const folder = mkdtempSync(join(tmpdir(), 'manta-volumes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sources: VolumeSources = {
  pod: {
    metadata: { name: 'p', labels: { a: 'b' } },
    spec: { containers: [{ name: 'main', resources: { limits: { cpu: '1500m' } } }] },
  },
  podIp: '10.0.0.2',
  hostIp: '127.0.0.1',
  nodeCapacity: {},
  configMap: (name) => (name === 'map' ? { metadata: meta(name), data: { one: '1', two: '2' } } : undefined),
  secret: (name) => (name === 'hidden' ? { metadata: meta(name), data: { key: 'c2VjcmV0' } } : undefined),
  token: (audience) => Promise.resolve(`token for ${audience ?? 'the API'}`),
  claimFolder: (name) => (name === 'claim' ? join(folder, 'claim-data') : undefined),
};
const prepare = (volume: Omit<Volume, 'name'>, name = 'v') => prepareVolume({ name, ...volume }, folder, sources);
const read = ({ path }: ReadyVolume, file: string) => readFileSync(join(path, file), 'utf8');

describe('a volume', () => {
  it('shows a ConfigMap, all of it or some of it under other names', async () => {
    const all = await prepare({ configMap: { name: 'map' } }, 'all');
    expect([read(all, 'one'), read(all, 'two'), all.isReadOnly]).toEqual(['1', '2', true]);
    const some = await prepare({ configMap: { name: 'map', items: [{ key: 'two', path: 'deep/file' }] } }, 'some');
    expect(read(some, 'deep/file')).toBe('2');
  });

  it('shows a Secret with the mode that was asked for', async () => {
    const volume = await prepare({ secret: { secretName: 'hidden', defaultMode: 0o400 } }, 'secret');
    expect(read(volume, 'key')).toBe('secret');
    expect(statSync(join(volume.path, 'key')).mode & 0o777).toBe(0o400);
  });

  it('gives each file the mode that it asks for, and the others that of the volume', async () => {
    const items = [
      { key: 'one', path: 'one', mode: 0o600 },
      { key: 'two', path: 'two' },
    ];
    const fields = [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' }, mode: 0o400 }];
    const modes = async (volume: Omit<Volume, 'name'>, name: string, ...files: readonly string[]) => {
      const { path } = await prepare(volume, name);
      return files.map((file) => (statSync(join(path, file)).mode & 0o777).toString(8));
    };
    expect(await modes({ configMap: { name: 'map', items } }, 'modes', 'one', 'two')).toEqual(['600', '644']);
    const sources0 = [{ configMap: { name: 'map', items } }, { downwardAPI: { items: fields } }];
    const projected = { sources: sources0, defaultMode: 0o440 };
    expect(await modes({ projected }, 'modes2', 'one', 'two', 'name')).toEqual(['600', '440', '400']);
  });

  it('shows what is there now, and no longer what is not', async () => {
    const volume = { configMap: { name: 'map', items: [{ key: 'one', path: 'deep/one' }] } };
    const before = await prepare(volume, 'now');
    expect(read(before, 'deep/one')).toBe('1');
    const after = await prepare({ configMap: { name: 'map' } }, 'now');
    expect(read(after, 'one')).toBe('1');
    expect(existsSync(join(after.path, 'deep/one'))).toBe(false);
  });

  it('leaves a file alone that is right already, and mends its mode', async () => {
    const file = async (defaultMode: number) => {
      const { path } = await prepare({ configMap: { name: 'map', defaultMode } }, 'still');
      const { ino, mode } = statSync(join(path, 'one'));
      return { ino, mode: mode & 0o777 };
    };
    const first = await file(0o644);
    expect(await file(0o644)).toEqual(first);
    expect((await file(0o600)).mode).toBe(0o600);
  });

  it.each<[string, Omit<Volume, 'name'>]>([
    ['a ConfigMap', { configMap: { name: 'no', optional: true } }],
    ['a key', { configMap: { name: 'map', items: [{ key: 'no', path: 'x' }], optional: true } }],
    ['a Secret', { secret: { secretName: 'no', optional: true } }],
  ])('is empty without %s that may be missing', async (_, volume) => {
    expect(readdirSync((await prepare(volume, 'optional')).path)).toEqual([]);
  });

  it('is mounted as a whole or in part, under a path that variables may be in', async () => {
    const volume = await prepare({ emptyDir: {} }, 'parts');
    const mounts = [
      { name: 'v', mountPath: '/all/' },
      { name: 'v', mountPath: '/part', subPath: 'a/b', readOnly: true },
      { name: 'v', mountPath: '/own', subPathExpr: '$(POD)/logs' },
    ];
    const main = { name: 'main', volumeMounts: mounts };
    expect(mountsOf(main, new Map([['v', volume]]), { POD: 'p-1' })).toEqual([
      { kind: 'bind', source: volume.path, target: '/all', isReadOnly: false },
      { kind: 'bind', source: volume.path, within: 'a/b', target: '/part', isReadOnly: true },
      { kind: 'bind', source: volume.path, within: 'p-1/logs', target: '/own', isReadOnly: false },
    ]);
  });

  it('shows what containers may use', async () => {
    const items = [
      { path: 'cpu', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu', divisor: '1m' } },
      { path: 'name', fieldRef: { fieldPath: 'metadata.name' } },
    ];
    const volume = await prepare({ downwardAPI: { items } }, 'fields');
    expect([read(volume, 'cpu'), read(volume, 'name')]).toEqual(['1500', 'p']);
  });

  it('joins a token, a ConfigMap and fields of the pod', async () => {
    const volume = await prepare(
      {
        projected: {
          sources: [
            { serviceAccountToken: { path: 'token' } },
            { configMap: { name: 'map', items: [{ key: 'one', path: 'ca.crt' }] } },
            { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          ],
        },
      },
      'joined',
    );
    expect(['token', 'ca.crt', 'labels'].map((file) => read(volume, file))).toEqual([
      'token for the API',
      '1',
      'a="b"',
    ]);
  });

  it.each<[string, Omit<Volume, 'name'>, string]>([
    ['a ConfigMap', { configMap: { name: 'no' } }, 'configmap "no" not found'],
    ['a Secret', { secret: { secretName: 'no' } }, 'secret "no" not found'],
    ['a claim', { persistentVolumeClaim: { claimName: 'no' } }, 'persistentvolumeclaim "no" not found'],
    [
      'a key',
      { configMap: { name: 'map', items: [{ key: 'no', path: 'x' }] } },
      'references non-existent config key: no',
    ],
    [
      'a folder of this machine',
      { hostPath: { path: '/no/such' } },
      'hostPath /no/such does not exist on this machine',
    ],
    ['its kind', { nfs: { server: 's', path: '/' } }, 'is of a kind that pods on this machine cannot have'],
  ])('is refused with a reason when %s does not exist', async (_, volume, message) => {
    await expect(prepare(volume)).rejects.toThrow(message);
  });

  it('never writes outside of itself', async () => {
    const volume = { configMap: { name: 'map', items: [{ key: 'one', path: '../../escape' }] } };
    await expect(prepare(volume)).rejects.toThrow('leads out of its volume');
    const mount = { name: 'main', volumeMounts: [{ name: 'v', mountPath: '/x', subPath: '../up' }] };
    const ready = new Map([['v', { path: join(folder, 'v'), isReadOnly: false }]]);
    expect(() => mountsOf(mount, ready, {})).toThrow('leads out of volume "v"');
  });

  it('follows links of a subPath that stay in the volume, and refuses those that leave it', async () => {
    const volume = await prepare({ emptyDir: {} }, 'links');
    mkdirSync(join(volume.path, 'real'));
    symlinkSync('real', join(volume.path, 'near'));
    symlinkSync('/etc', join(volume.path, 'far'));
    symlinkSync('/no/such', join(volume.path, 'nowhere'));
    const partOf = (subPath: string) =>
      mountsOf({ name: 'main', volumeMounts: [{ name: 'v', mountPath: '/x', subPath }] }, new Map([['v', volume]]), {});
    expect(partOf('near/new')).toMatchObject([{ source: volume.path, within: 'real/new' }]);
    expect(partOf('real/..')).toEqual([{ kind: 'bind', source: volume.path, target: '/x', isReadOnly: false }]);
    for (const each of ['far', 'far/passwd', 'near/../far/x', 'nowhere', 'nowhere/x'])
      expect(() => partOf(each)).toThrow(`the subPath ${each} leads out of volume "v" through a symbolic link`);
    expect(existsSync('/etc/x')).toBe(false);
  });

  it('in memory is a folder for the pod to have memory in, of the size that is asked for', async () => {
    const volumes = [
      { name: 'fast', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
      { name: 'any', emptyDir: { medium: 'Memory' } },
      { name: 'disk', emptyDir: { sizeLimit: '1Gi' } },
    ];
    const path = (name: string) => join(folder, 'volumes', name);
    const folders = memoryFolders({ spec: { containers: [], volumes } }, folder);
    expect(folders).toEqual([{ path: path('fast'), bytes: 16 * 1024 * 1024 }, { path: path('any') }]);
    expect(existsSync(path('fast'))).toBe(true);
    const ready = new Map([['fast', await prepare(volumes[0] as never, 'fast')]]);
    const main = { name: 'main', volumeMounts: [{ name: 'fast', mountPath: '/fast', subPath: 'part' }] };
    const mount = {
      kind: 'bind',
      source: path('fast'),
      target: '/fast',
      isReadOnly: false,
      within: 'part',
    };
    expect(mountsOf(main, ready, {})).toEqual([mount]);
  });

  it('in memory at /dev/shm is the size of shared memory, and no mount', async () => {
    const volume = await prepare({ emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }, 'shm');
    const main = { name: 'main', volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }] };
    const ready = new Map([['shm', volume]]);
    expect(sharedMemoryBytes(main, ready)).toBe(64 * 1024 * 1024);
    expect(mountsOf(main, ready, {})).toEqual([]);
  });
});
