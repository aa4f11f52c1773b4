import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { type ApiRequester, createRequester } from '../support/api-request.ts';
import { type MantaUp, runManta, startMantaUp } from '../support/manta-up.ts';
import { credentialsOf } from './support/engine-child.ts';

const folder = mkdtempSync(join(tmpdir(), 'manta-up-'));
const running: MantaUp[] = [];
let count = 0;
const newDataDir = () => join(folder, `data-${(count += 1)}`);

afterEach(async () => void (await Promise.all(running.splice(0).map((up) => up.stop('SIGKILL')))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(dataDir: string, args: readonly string[] = []): Promise<MantaUp> {
  const up = await startMantaUp(dataDir, args);
  running.push(up);
  return up;
}

function as({ kubeconfig }: MantaUp): ApiRequester {
  return createRequester(credentialsOf(kubeconfig.text));
}

const cluster = (name: string) => ({
  apiVersion: 'ray.io/v1',
  kind: 'RayCluster',
  metadata: { name },
  spec: {
    headGroupSpec: {
      rayStartParams: {},
      template: { spec: { containers: [{ name: 'ray-head', image: 'rayproject/ray:2.52.0' }] } },
    },
  },
});

const oneLine = (text: string) => text.trimEnd().split('\n').length === 1;

describe('manta up --no-pods', () => {
  it('serves the API with our CRDs and an operator that works on them', async () => {
    const request = as(await start(newDataDir()));
    expect((await request('GET', '/readyz')).text).toBe('ok');
    const made = await request('POST', '/apis/ray.io/v1/namespaces/default/rayclusters', cluster('a'));
    expect(made.status).toBe(201);
    const pods = await vi.waitFor(
      async () => {
        const { body } = await request('GET', '/api/v1/namespaces/default/pods?labelSelector=ray.io/cluster=a');
        const { items } = body as { items: { status: { phase: string } }[] };
        expect(items).toHaveLength(1);
        return items;
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(pods[0]?.status.phase).toBe('Pending');
    request.close();
  });

  it('writes a kubeconfig for its owner alone, where it is asked to', async () => {
    const path = join(folder, 'sub', 'kubeconfig');
    const up = await start(newDataDir(), [`--kubeconfig-out=${path}`]);
    expect(up.kubeconfig.path).toBe(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('keeps secrets from others even in a folder that they may read', async () => {
    const dataDir = newDataDir();
    mkdirSync(dataDir, { mode: 0o755 });
    await start(dataDir);
    const open = readdirSync(dataDir).filter((file) => (statSync(join(dataDir, file)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops in order on %s, and its objects and credentials outlive it',
    async (signal) => {
      const dataDir = newDataDir();
      const first = await start(dataDir);
      const before = as(first);
      const made = await before('POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
      expect(made.status).toBe(201);
      expect(await first.stop(signal)).toMatchObject({ status: 0 });
      before.close();
      const again = await start(dataDir);
      const { url } = credentialsOf(again.kubeconfig.text);
      const oldCredentials = createRequester({ ...credentialsOf(first.kubeconfig.text), url });
      const found = await oldCredentials('GET', '/api/v1/namespaces/team');
      expect(found.body).toEqual(made.body);
      oldCredentials.close();
    },
  );

  it('starts again after it was killed', async () => {
    const dataDir = newDataDir();
    const first = await start(dataDir);
    await first.stop('SIGKILL');
    expect(await runManta(['status', `--data-dir=${dataDir}`])).toMatchObject({ status: 1 });
    await start(dataDir);
  });

  it('writes nothing to the API when it is started again and nothing has changed', async () => {
    const dataDir = newDataDir();
    const first = await start(dataDir);
    const revision = async (up: MantaUp) => {
      const request = as(up);
      const { body } = await request('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
      request.close();
      return (body as { items: { metadata: { name: string; resourceVersion: string } }[] }).items.map(
        ({ metadata }) => [metadata.name, metadata.resourceVersion],
      );
    };
    const before = await revision(first);
    expect(before).toHaveLength(4);
    await first.stop();
    expect(await revision(await start(dataDir))).toEqual(before);
  });

  it('puts a CRD back at the next start that somebody has deleted, and leaves the others as they are', async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const dataDir = newDataDir();
    const first = await start(dataDir);
    const before = as(first);
    await before('DELETE', `${path}/raycronjobs.ray.io`);
    before.close();
    await first.stop();
    const after = as(await start(dataDir));
    expect(await after('GET', `${path}/raycronjobs.ray.io`)).toMatchObject({ status: 200 });
    const { body } = await after('GET', `${path}/rayclusters.ray.io`);
    expect(body).toMatchObject({ metadata: { generation: 1 } });
    after.close();
  });

  describe('refuses in one line', () => {
    it('a port that is taken', async () => {
      const first = await start(newDataDir());
      const { port } = new URL(credentialsOf(first.kubeconfig.text).url);
      const { status, stderr } = await runManta(['up', '--no-pods', `--port=${port}`, `--data-dir=${newDataDir()}`]);
      expect(status).toBe(1);
      expect(stderr).toBe(
        `manta: cannot serve on 127.0.0.1:${port}: something else listens there; choose another with --port (0 is any free one)\n`,
      );
    });

    it('a data directory that another engine serves', async () => {
      const dataDir = newDataDir();
      const first = await start(dataDir);
      const { status, stderr } = await runManta(['up', '--no-pods', '--port=0', `--data-dir=${dataDir}`]);
      expect(status).toBe(1);
      expect(stderr).toContain(`an engine already serves ${dataDir}: process ${first.process.pid}`);
      expect(stderr).toSatisfy(oneLine);
    });

    it('a data directory that another engine has open but has not said so', async () => {
      const dataDir = newDataDir();
      await start(dataDir);
      rmSync(join(dataDir, 'engine.json'));
      const { status, stderr } = await runManta(['up', '--no-pods', '--port=0', `--data-dir=${dataDir}`]);
      expect(status).toBe(1);
      expect(stderr).toMatch(/another engine is using this data directory/);
      expect(stderr).toSatisfy(oneLine);
    });

    it('a data directory that cannot be made', async () => {
      const file = join(folder, 'file');
      writeFileSync(file, '');
      const { status, stderr } = await runManta(['up', '--no-pods', '--port=0', `--data-dir=${file}/data`]);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^manta: cannot use the data directory .*choose another with --data-dir\n$/);
    });

    it('to overwrite a kubeconfig that is not ours', async () => {
      const path = join(folder, 'mine');
      writeFileSync(path, 'apiVersion: v1\n');
      const args = ['up', '--no-pods', '--port=0', `--data-dir=${newDataDir()}`, `--kubeconfig-out=${path}`];
      const { status, stderr } = await runManta(args);
      expect(status).toBe(1);
      expect(stderr).toMatch(/was not written by manta up and stays as it is/);
      expect(readFileSync(path, 'utf8')).toBe('apiVersion: v1\n');
    });

    it.each(['x', '-1', '65536', '1.5', ''])('the port %j', async (port) => {
      const { status, stderr } = await runManta(['up', '--no-pods', `--port=${port}`]);
      expect(status).toBe(1);
      expect(stderr).toMatch(/A port is a number from 0 to 65535/);
    });
  });
});

describe('manta status and down', () => {
  it('say what runs, and stop it', async () => {
    const dataDir = newDataDir();
    const up = await start(dataDir);
    const status = await runManta(['status', `--data-dir=${dataDir}`]);
    expect(status.status).toBe(0);
    expect(status.stdout).toContain(String(up.process.pid));
    expect(status.stdout).toContain(credentialsOf(up.kubeconfig.text).url);
    expect(await runManta(['down', `--data-dir=${dataDir}`])).toMatchObject({
      status: 0,
      stdout: `stopped process ${up.process.pid}\n`,
    });
    expect(await up.ended).toMatchObject({ status: 0 });
  });

  it('say so where nothing runs', async () => {
    const dataDir = newDataDir();
    const said = { stdout: `nothing runs on ${dataDir}\n` };
    expect(await runManta(['status', `--data-dir=${dataDir}`])).toMatchObject({ status: 1, ...said });
    expect(await runManta(['down', `--data-dir=${dataDir}`])).toMatchObject({ status: 0, ...said });
  });

  it('leave alone a process that has got the number of one that is gone', async () => {
    const dataDir = newDataDir();
    mkdirSync(dataDir);
    const record = { pid: process.pid, mark: '1', url: 'https://127.0.0.1:1', kubeconfig: 'k', startedAt: 'then' };
    writeFileSync(join(dataDir, 'engine.json'), JSON.stringify(record));
    const { stdout } = await runManta(['down', `--data-dir=${dataDir}`]);
    expect(stdout).toBe(`nothing runs on ${dataDir}\n`);
  });

  it('look where $XDG_DATA_HOME says', async () => {
    const { stdout } = await runManta(['status'], { XDG_DATA_HOME: folder });
    expect(stdout).toBe(`nothing runs on ${join(folder, 'manta')}\n`);
  });
});
