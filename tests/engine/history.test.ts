import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, RayJob } from '@manta/api';
import {
  answerHistory,
  HISTORY_GROUP,
  HISTORY_VERSION,
  HistoryStore,
  type Recorder,
  startRecorder,
} from '@manta/history';
import { createKubeClient, createTransport, loadConnection, resources, systemClock, type Transport } from '@manta/kube';
import { silentLogger } from '@manta/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliStage } from '../cli/cli-stage.ts';
import { runCli } from '../cli/run-cli.ts';
import { type ConformanceEngine, startConformanceEngine } from '../conformance/support/engine-access.ts';
import { eventually } from '../conformance/support/eventually.ts';

const folder = mkdtempSync(join(tmpdir(), 'manta-history-test-'));
let engine: ConformanceEngine;
let stage: CliStage;
let store: HistoryStore;
let recorder: Recorder;
let transport: Transport;

beforeAll(async () => {
  engine = await startConformanceEngine();
  stage = await CliStage.open(engine.access);
  await startRecording();
});

afterAll(async () => {
  await stopRecording();
  await stage.close();
  await engine.stop();
  rmSync(folder, { recursive: true });
});

async function startRecording(): Promise<void> {
  store = new HistoryStore(join(folder, 'history.db'));
  const clock = systemClock;
  transport = createTransport({
    connection: await loadConnection({ kubeconfig: stage.kubeconfig }),
    clock,
    userAgent: 'test',
  });
  const client = createKubeClient({ transport, clock });
  recorder = startRecorder({ clock, random: Math.random, client, transport, log: silentLogger, store });
  engine.api.aggregated.set(HISTORY_GROUP, {
    version: HISTORY_VERSION,
    answer: ({ path, query, mayList }) => {
      recorder.flush();
      return answerHistory(store, {
        ...path,
        query,
        mayList: (plural, where) => mayList({ group: plural === 'pods' ? '' : 'ray.io', plural }, where),
      });
    },
  });
}

async function stopRecording(): Promise<void> {
  await recorder.close();
  await transport.close();
  store.close();
}

const job = (name: string): RayJob => ({
  apiVersion: 'ray.io/v1',
  kind: 'RayJob',
  metadata: { name, namespace: stage.namespace },
  spec: {
    entrypoint: 'python train.py',
    rayClusterSpec: {
      headGroupSpec: {
        rayStartParams: {},
        template: {
          spec: { containers: [{ name: 'ray-head', image: 'ray', env: [{ name: 'TOKEN', value: 's3cret' }] }] },
        },
      },
    },
  },
});

const inNamespace = () => ({ namespace: stage.namespace });

async function createJob(name: string): Promise<void> {
  await stage.admin.create(resources.rayJobs, job(name));
}

function setState(name: string, status: object): Promise<unknown> {
  const patch = { type: 'merge', body: { status } } as const;
  return stage.admin.patch(resources.rayJobs, { ...inNamespace(), name }, patch, { subresource: 'status' });
}

const show = async (name: string) => (await stage.ray(`history show rayjob/${name}`)).stdout;

/** Waits until the page of a job has what the pattern describes. */
async function shown(name: string, pattern: RegExp): Promise<void> {
  await eventually(`${pattern} in the history of ${name}`, async () => {
    return pattern.test(await show(name)) ? true : undefined;
  });
}

describe('history of a RayJob', () => {
  it('shows stages, cause and pods after the job and its pods were deleted', async () => {
    await createJob('train');
    await shown('train', /New/);
    await setState('train', { jobDeploymentStatus: 'Running' });
    await shown('train', /Running/);
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'train-submitter',
        namespace: stage.namespace,
        labels: {
          'app.kubernetes.io/created-by': 'kuberay-operator',
          'ray.io/originated-from-crd': 'RayJob',
          'ray.io/originated-from-cr-name': 'train',
        },
      },
      spec: { containers: [{ name: 'ray-job-submitter', image: 'ray' }] },
    };
    await stage.admin.create(resources.pods, pod);
    const end = { exitCode: 137, reason: 'OOMKilled', finishedAt: '2026-01-01T00:00:00Z' };
    const container = { name: 'ray-job-submitter', image: 'ray', imageID: '', ready: false, restartCount: 0 };
    const podStatus = { phase: 'Failed', containerStatuses: [{ ...container, state: { terminated: end } }] };
    await stage.admin.patch(
      resources.pods,
      { ...inNamespace(), name: 'train-submitter' },
      { type: 'merge', body: { status: podStatus } },
      { subresource: 'status' },
    );
    await setState('train', { jobDeploymentStatus: 'Failed', message: 'the dog ate the data' });
    await shown('train', /Failed[^]*OOMKilled/);
    await stage.admin.delete(resources.pods, { ...inNamespace(), name: 'train-submitter' }, { gracePeriodSeconds: 0 });
    await stage.admin.delete(resources.rayJobs, { ...inNamespace(), name: 'train' });
    await shown('train', /deleted/);

    const page = await show('train');
    expect(page).toMatch(/^RayJob \S+\/train: Failed \(created \S+ ago, deleted \S+ ago\)\n {2}the dog ate the data\n/);
    const stages = [...page.matchAll(/Z {3}(New|Running|Failed) /g)].map(([, name]) => name);
    expect(stages).toEqual(['New', 'Running', 'Failed']);
    expect(page).toMatch(/train-submitter +submitter +ray-job-submitter 137 OOMKilled/);
    expect((await stage.ray('history list rayjobs')).stdout).toMatch(/rayjob\/train +Failed .*the dog ate the data/);
  });

  it('redacts values of environment variables', async () => {
    const { stdout } = await stage.ray('history show rayjob/train -o json');
    expect(stdout).toContain('"name": "TOKEN"');
    expect(stdout).not.toContain('s3cret');
  });

  it('notices what was deleted while no recorder ran, and repeats nothing', async () => {
    await createJob('meanwhile');
    await shown('meanwhile', /New/);
    await stopRecording();
    await stage.admin.delete(resources.rayJobs, { ...inNamespace(), name: 'meanwhile' });
    await startRecording();
    await shown('meanwhile', /deleted/);
    const { stdout } = await stage.ray('history show rayjob/train -o json');
    expect(JSON.parse(stdout).stages.map(({ name }: { name: string }) => name)).toEqual(['New', 'Running', 'Failed']);
  });

  it('keeps objects of the same name apart', async () => {
    await createJob('train');
    await shown('train', /Other objects of this name/);
    const [, uid = ''] = /--uid (\S+)/.exec(await show('train')) ?? [];
    expect((await stage.ray(`history show rayjob/train --uid ${uid}`)).stdout).toContain('the dog ate the data');
  });
});

describe('access to history', () => {
  it('is refused to users who may not list the kind', async () => {
    const stranger = stage.kubeconfigOf('stranger', []);
    const { code, stderr } = await runCli(stranger, ['-n', stage.namespace, 'history', 'show', 'rayjob/train']);
    expect(code).toBe(4);
    expect(stderr).toBe(
      `Error: history of rayjobs is shown to users who may list rayjobs in namespace "${stage.namespace}"\n`,
    );
  });

  it('says so if the cluster keeps no history', async () => {
    engine.api.aggregated.delete(HISTORY_GROUP);
    const { code, stderr } = await stage.ray('history list');
    expect(code).toBe(1);
    expect(stderr).toContain('no history is kept here');
  });
});
