/** The programs that we put into pods, run by the shells and interpreters that run them there. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Container,
  defaultFeatureGates,
  type GcsFaultToleranceOptions,
  type RayCluster,
  type RayClusterSpec,
  readOperatorEnv,
} from '@manta/api';
import { rayCluster, withHead, withSpec, workerGroup } from '@manta/api/testing';
import { type BuildContext, buildHeadPod, buildRedisCleanupJob, buildWorkerPod } from '@manta/plan';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const context: BuildContext = {
  env: readOperatorEnv({}),
  gates: { ...defaultFeatureGates(), RayClusterMTLS: true },
  operatorVersion: '0.0.0-test',
  podDefaults: {},
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-scripts-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Puts a program first in the path. */
function program(name: string, script: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** Runs a container's command as the kubelet would. */
async function start({ command = [], args = [] }: Container, env: Record<string, string> = {}) {
  const [file = '', ...rest] = [...command, ...args];
  const path = `${join(folder, 'bin')}:${process.env['PATH']}`;
  try {
    return { code: 0, ...(await run(file, rest, { env: { PATH: path, ...env }, timeout: 20_000 })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

const specOf = (cluster: RayCluster) => cluster.spec as RayClusterSpec;
const lines = (text: string) => text.trimEnd().split('\n');

describe('the wait for the GCS', () => {
  const cluster = rayCluster('demo');
  const pod = buildWorkerPod(cluster, specOf(cluster), workerGroup('g'), context);
  const wait = pod.spec?.initContainers?.find(({ name }) => name === 'wait-gcs-ready') as Container;

  /** Ray that answers from its n-th call on, and says what it was asked. */
  const rayAfter = (calls: number) => {
    const count = join(folder, `count-${calls}`);
    program('ray', `echo "$@" >> ${count}; echo noise; [ $(wc -l < ${count}) -ge ${calls} ]`);
  };

  /** Real seconds pass too while a busy machine runs the script: only whole hundreds are counted. */
  const said = (stdout: string) =>
    lines(stdout).map((line) => line.replace(/^\d+(?= seconds)/, (n) => String(Math.floor(Number(n) / 100) * 100)));

  it('is quiet and ends as soon as the head answers', async () => {
    rayAfter(3);
    const { code, stdout } = await start(wait, { 'BASH_FUNC_sleep%%': '() { :; }' });
    expect(code).toBe(0);
    expect(said(stdout)).toEqual([
      '0 seconds elapsed: Waiting for GCS to be ready.',
      '0 seconds elapsed: Waiting for GCS to be ready.',
      'GCS is ready.',
    ]);
  });

  it('shows what Ray says after two minutes, and where help is', async () => {
    rayAfter(4);
    const { stdout } = await start(wait, { 'BASH_FUNC_sleep%%': '() { SECONDS=$((SECONDS + 100)); }' });
    expect(said(stdout)).toEqual([
      '0 seconds elapsed: Waiting for GCS to be ready.',
      '100 seconds elapsed: Waiting for GCS to be ready.',
      'noise',
      '200 seconds elapsed: Still waiting for GCS to be ready. For troubleshooting, refer to the FAQ at https://docs.ray.io/en/master/cluster/kubernetes/troubleshooting.html.',
      'noise',
      'GCS is ready. Any error messages above can be safely ignored.',
    ]);
  });
});

describe('the wait for a certificate', () => {
  const cluster = rayCluster('demo', withSpec<RayCluster>({ tlsOptions: { enabled: true } }));
  const pod = buildHeadPod(cluster, specOf(cluster), context);
  const wait = pod.spec?.initContainers?.find(({ name }) => name === 'wait-for-tls-ip-san') as Container;

  it('ends when the certificate names the pod’s address, not a longer one', async () => {
    const count = join(folder, 'certificates');
    program(
      'openssl',
      `echo x >> ${count}; case $(wc -l < ${count}) in
        1) echo 'IP Address:127.0.0.1, IP Address:10.1.2.34' ;;
        2) echo 'IP Address:10.1.2.3.4' ;;
        3) echo 'IP Address:10x1x2x3' ;;
        *) echo 'IP Address:127.0.0.1, IP Address:10.1.2.3' ;;
      esac`,
    );
    program('sleep', ':');
    const { code, stdout } = await start(wait, { POD_IP: '10.1.2.3' });
    expect(code).toBe(0);
    const again = 'IP SAN for 10.1.2.3 not yet in cert, retrying in 5s...';
    expect(lines(stdout)).toEqual([
      'Waiting for TLS cert to include IP SAN for 10.1.2.3...',
      again,
      again,
      again,
      'TLS cert now includes IP SAN for 10.1.2.3',
    ]);
  });

  it('fails at once where it can never know', async () => {
    const { code, stderr } = await start(
      { ...wait, command: ['/bin/sh', '-c'] },
      { PATH: '/nowhere', POD_IP: '10.1.2.3' },
    );
    expect(code).toBe(1);
    expect(stderr).toContain('openssl not found; cannot verify IP SAN');
  });
});

describe('the Redis cleanup', () => {
  const cleanup = (options: GcsFaultToleranceOptions) => {
    const cluster = rayCluster('demo', withSpec<RayCluster>({ gcsFaultToleranceOptions: options }));
    const job = buildRedisCleanupJob(cluster, specOf(cluster), context);
    return job?.spec?.template.spec?.containers[0] as Container;
  };
  const plain = cleanup({ redisAddress: 'redis:6379' });
  const withUser = cleanup({ redisAddress: 'redis:6379', redisUsername: { value: 'me' } });

  beforeAll(() => {
    const ray = join(folder, 'python', 'ray', '_private');
    mkdirSync(ray, { recursive: true });
    writeFileSync(join(folder, 'python', 'ray', '__init__.py'), '');
    writeFileSync(join(ray, '__init__.py'), '');
    writeFileSync(
      join(ray, 'gcs_utils.py'),
      `import json, os
def cleanup_redis_storage(**arguments):
    print(json.dumps(arguments))
    return os.environ.get('ANSWER') != 'no'
`,
    );
    program('python', 'exec python3 "$@"');
  });
  const clean = (container: Container, env: Record<string, string>) =>
    start(container, { PYTHONPATH: join(folder, 'python'), RAY_external_storage_namespace: 'ns', ...env });

  it.each<[string, Container, Record<string, string>, object]>([
    [
      'a plain address',
      plain,
      { RAY_REDIS_ADDRESS: 'redis:6380' },
      { host: 'redis', port: 6380, password: '', use_ssl: false },
    ],
    [
      'an address without a port',
      plain,
      { RAY_REDIS_ADDRESS: 'redis' },
      { host: 'redis', port: 6379, password: '', use_ssl: false },
    ],
    [
      'the first of several',
      plain,
      { RAY_REDIS_ADDRESS: 'a:1,b:2', REDIS_PASSWORD: "it's $ecret" },
      { host: 'a', port: 1, password: "it's $ecret", use_ssl: false },
    ],
    [
      'a URL with everything in it',
      withUser,
      { RAY_REDIS_ADDRESS: 'rediss://you:pw@redis:1' },
      { host: 'redis', port: 1, username: 'you', password: 'pw', use_ssl: true },
    ],
    [
      'variables before the URL',
      withUser,
      { RAY_REDIS_ADDRESS: 'rediss://you:pw@redis:1', REDIS_USERNAME: 'me', REDIS_PASSWORD: 'other' },
      { host: 'redis', port: 1, username: 'me', password: 'other', use_ssl: true },
    ],
  ])('understands %s', async (_, container, env, expected) => {
    const { code, stdout } = await clean(container, env);
    expect(code).toBe(0);
    const [hint, call = ''] = lines(stdout);
    expect(hint).toContain('kuberay-gcs-ft.html');
    expect(JSON.parse(call)).toEqual({ ...expected, storage_namespace: 'ns' });
  });

  it('fails where Ray could not clean up, or has no address', async () => {
    expect((await clean(plain, { RAY_REDIS_ADDRESS: 'redis:1', ANSWER: 'no' })).code).toBe(1);
    expect((await clean(plain, {})).code).toBe(1);
  });
});

describe('start parameters', () => {
  /** What Ray gets to see of its parameters. */
  async function wordsOf(params: Readonly<Record<string, string>>): Promise<readonly string[]> {
    program('ray', 'for word in "$@"; do printf "%s\\0" "$word"; done');
    const cluster = rayCluster('demo', withHead({ rayStartParams: params }));
    const { stdout } = await start(buildHeadPod(cluster, specOf(cluster), context).spec?.containers[0] as Container);
    return stdout.split('\0');
  }

  it('reach Ray as one word each, with variables and commands put in', async () => {
    const words = await wordsOf({
      'temp-dir': '/tmp/my ray',
      labels: 'a=(b)',
      'node-name': '$(echo one | cat)',
      'node-ip-address': 'from $(echo two words)',
      'redis-password': '$HOME{a,b}',
      resources: `'{"CPU": 2}'`,
    });
    expect(words).toContain('--temp-dir=/tmp/my ray');
    expect(words).toContain('--labels=a=(b)');
    expect(words).toContain('--node-name=one');
    expect(words).toContain('--node-ip-address=from two words');
    expect(words).toContain('--redis-password={a,b}');
    expect(words).toContain('--resources={"CPU": 2}');
  });

  it('reach Ray as one word each, whatever quotes are open or closed in them', async () => {
    const letters = fc.constantFrom(...`ab {,};|'"\\`.split(''));
    const values = fc.sample(fc.string({ unit: letters, minLength: 1, maxLength: 9 }), { seed: 7, numRuns: 600 });
    const plain = (await wordsOf({})).length;
    const words = await wordsOf(Object.fromEntries(values.map((value, i) => [`p${i}`, value])));
    expect(words).toHaveLength(plain + values.length);
    const odd = await wordsOf({
      'node-name': `it's`,
      labels: 'a="b c" d',
      resources: '{"a":1,"b":2}',
      'temp-dir': 'C:\\',
    });
    expect(odd).toContain(`--node-name=it's`);
    expect(odd).toContain('--labels=a="b c" d');
    expect(odd).toContain('--resources={"a":1,"b":2}');
    expect(odd).toContain('--temp-dir=C:\\');
  });

  it('reach Ray unchanged, whatever letters a shell would trip over', async () => {
    const letters = fc.constantFrom(...'ab1 \t;&|<>(){}[],.=:/#~%@^*?!-+_'.split(''));
    const values = fc.sample(fc.string({ unit: letters, minLength: 1, maxLength: 12 }), { seed: 5, numRuns: 400 });
    const params = Object.fromEntries(values.map((value, i) => [`p${i}`, value]));
    const words = await wordsOf(params);
    for (const [key, value] of Object.entries(params)) expect(words).toContain(`--${key}=${value}`);
  });
});
