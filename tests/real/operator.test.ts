import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { clusterRole } from '@manta/operator';
import { createCertificateAuthority } from '../support/certificates.ts';
import type { AuditFilter } from '../support/audit-log.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { type OperatorProcess, startOperator } from '../support/operator-process.ts';
import { installCrds } from './ray-api.ts';

/** Its own plane: CRDs come, go and grow old here. */
let plane: ControlPlane;
const folder = mkdtempSync(join(tmpdir(), 'manta-operator-'));
const started: OperatorProcess[] = [];
const OPERATOR = { name: 'system:serviceaccount:ray-system:kuberay-operator' };

beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
});
// Some tests take rules away.
beforeEach(() => bind(clusterRole([]).rules));
afterAll(async () => {
  await Promise.all(started.map((operator) => operator.ended('SIGKILL')));
  await plane.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Gives the operator's user exactly these rules. */
async function bind(rules: object): Promise<void> {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'manta' }, rules };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'manta' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'manta' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: OPERATOR.name }],
  };
  await plane.apply(`${stringify(role, { aliasDuplicateObjects: false })}---\n${stringify(binding)}`);
}

function run(args: readonly string[] = [], env: Record<string, string> = {}): OperatorProcess {
  const kubeconfig = plane.user(OPERATOR).kubeconfig.path;
  const operator = startOperator({ args, env: { KUBECONFIG: kubeconfig, ...env } });
  started.push(operator);
  return operator;
}

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 100 });
const readyz = (operator: OperatorProcess) => operator.get('health', '/readyz?verbose');

async function invalidCluster(name: string, namespace = 'default'): Promise<void> {
  const spec = { headGroupSpec: { template: { spec: { containers: [] } } } };
  await plane.request('POST', `/apis/ray.io/v1/namespaces/${namespace}/rayclusters`, {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name },
    spec,
  });
}

async function eventsAbout(name: string, namespace = 'default'): Promise<readonly string[]> {
  const answer = await plane.request('GET', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
  const { items } = answer.body as { items: { regarding: { name: string }; note: string }[] };
  return items.filter((event) => event.regarding.name === name).map((event) => event.note);
}

describe('on a cluster that is not ready for it', () => {
  it('starts without CRDs, says so, and begins to work when they arrive', async () => {
    const operator = run();
    await eventually(async () =>
      expect(await readyz(operator)).toMatch(/controllers ok: raycluster is off: RayCluster: absent: .*rayclusters/i),
    );
    await installCrds(plane);
    await invalidCluster('late');
    await eventually(async () =>
      expect(await eventsAbout('late')).toEqual([
        'The RayCluster spec is invalid default/late: headGroupSpec should have at least one container',
      ]),
    );
    // RayCronJobs are behind a gate that is off: their kind is looked for every five minutes only.
    await eventually(async () =>
      expect(await readyz(operator)).toMatch(/^\[\+\]controllers ok(: raycronjob is off: .*)?$/m),
    );
    expect(await operator.ended('SIGTERM')).toBe(0);
  });

  it('names a missing permission in the log, on its health page and as a metric, and works on', async () => {
    await installCrds(plane);
    const rules = clusterRole([]).rules.filter((rule) => !rule.resources.includes('secrets'));
    await bind(rules);
    const operator = run();
    await eventually(async () =>
      expect(await readyz(operator)).toContain(
        'missing: create, delete, get, list, update, watch secrets (auth token secrets)',
      ),
    );
    const warned = expect.objectContaining({
      level: 'warn',
      msg: 'Permissions are missing, what needs them is off',
      permissions: expect.arrayContaining(['create secrets']),
      neededFor: ['auth token secrets'],
    });
    await eventually(() => expect(operator.lines()).toContainEqual(warned));
    expect(await operator.get('metrics', '/metrics')).toMatch(
      /^manta_missing_permission\{.*needed_for="auth token secrets".*resource="secrets".*verb="create"\} 1$/m,
    );
    expect(await operator.get('health', '/readyz')).toBe('ok');
    await invalidCluster('unharmed');
    await eventually(async () => expect(await eventsAbout('unharmed')).toHaveLength(1));
    expect(await operator.ended('SIGTERM')).toBe(0);
  });

  it('stays up when it may not even list its own kind, and says which rule is missing', async () => {
    await bind(clusterRole([]).rules.filter((rule) => !rule.resources.includes('rayclusters')));
    const operator = run();
    await eventually(async () =>
      expect(await readyz(operator)).toMatch(/raycluster is off: RayCluster: forbidden: .*rayclusters/),
    );
    await eventually(async () =>
      expect(await readyz(operator)).toMatch(/list, .* rayclusters\.ray\.io \(ray\.io resources\)/),
    );
    expect(await operator.ended('SIGTERM')).toBe(0);
  });

  it('waits for an API server that is not there, and says so', async () => {
    const text = plane.adminKubeconfig.text.replace(plane.url, 'https://127.0.0.1:1');
    const operator = run([`--kubeconfig=${write('nobody', text)}`]);
    await eventually(async () =>
      expect(await readyz(operator)).toMatch(/^\[-\]api-server failed: .*127\.0\.0\.1:1.*refused/m),
    );
    expect(await operator.get('health', '/healthz')).toBe('ok');
    expect(operator.lines().find(({ msg }) => msg.startsWith('The API server cannot be used yet'))).toBeDefined();
    expect(await operator.ended('SIGTERM')).toBe(0);
  });

  it('says which fields an older CRD lacks', async () => {
    await installCrds(plane);
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rayclusters.ray.io';
    const crd = (await plane.request('GET', path)).body as { spec: { versions: { name: string }[] } };
    const index = crd.spec.versions.findIndex((version) => version.name === 'v1');
    const field = `/spec/versions/${index}/schema/openAPIV3Schema/properties/spec/properties/tlsOptions`;
    await plane.request('PATCH', path, [{ op: 'remove', path: field }], {
      'content-type': 'application/json-patch+json',
    });
    const operator = run();
    await eventually(async () =>
      expect(await readyz(operator)).toMatch(/crds ok: older than ours: RayCluster lacks spec\.tlsOptions/),
    );
    expect(operator.lines()).toContainEqual(
      expect.objectContaining({
        msg: 'The installed CRD is older than ours',
        kind: 'RayCluster',
        unknownFields: ['spec.tlsOptions'],
      }),
    );
    expect(await operator.ended('SIGTERM')).toBe(0);
    // As users do it, whoever applied the older one.
    const manta = join(import.meta.dirname, '../../bin/manta');
    const said = execFileSync(manta, ['crds', 'apply', '--kubeconfig', plane.adminKubeconfig.path], {
      encoding: 'utf8',
    });
    expect(said).toContain('rayclusters.ray.io applied');
    const renewed = JSON.stringify((await plane.request('GET', path)).body);
    expect(renewed).toContain('tlsOptions');
  });
});

/** Who holds the operator's lease. */
async function holder(): Promise<string | undefined> {
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/ray-operator-leader';
  const answer = await plane.request('GET', path);
  return (answer.body as { spec?: { holderIdentity?: string } }).spec?.holderIdentity;
}

describe('as a process', () => {
  beforeAll(() => installCrds(plane));

  it('holds the lease while it runs and gives it back on SIGTERM', async () => {
    const operator = run(['--leader-election-namespace=default']);
    await eventually(async () => expect(await holder()).toMatch(/_[0-9a-f-]{36}$/));
    expect(await operator.ended('SIGTERM')).toBe(0);
    expect(await holder()).toBe('');
  });

  it('outlives a freeze that is longer than its lease, if no other process wants the lease', async () => {
    const operator = run(['--enable-leader-election=true', '--leader-election-namespace=kube-system']);
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ray-operator-leader';
    const leader = async () => {
      const { body } = await plane.request('GET', lease);
      return (body as { spec?: { holderIdentity?: string } }).spec?.holderIdentity;
    };
    const says = (part: string) => operator.lines().some(({ msg }) => msg.includes(part));
    await eventually(() => expect(says('successfully acquired lease')).toBe(true));
    const before = await leader();
    operator.signal('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 16_000));
    operator.signal('SIGCONT');
    await eventually(() => expect(says('leader lease is renewed: work goes on')).toBe(true));
    expect(await leader()).toBe(before);
    expect(await operator.get('health', '/healthz')).toMatch(
      /\[-\]event-loop failed: the event loop was blocked for 1\d s/,
    );
    expect(await operator.ended('SIGTERM')).toBe(0);
  });

  it('works only in the namespaces that it is told to watch', async () => {
    await plane.request('POST', '/api/v1/namespaces', { metadata: { name: 'seen' } });
    await plane.request('POST', '/api/v1/namespaces', { metadata: { name: 'unseen' } });
    const operator = run(['--watch-namespace=seen,default']);
    await eventually(async () => expect(await readyz(operator)).toMatch(/^\[\+\]controllers ok$/m));
    await invalidCluster('b', 'unseen');
    await invalidCluster('a', 'seen');
    await eventually(async () => expect(await eventsAbout('a', 'seen')).toHaveLength(1));
    expect(await eventsAbout('b', 'unseen')).toEqual([]);
    expect(await operator.ended('SIGTERM')).toBe(0);
  });

  it('asks the API server for little at start, and for nothing when idle', async () => {
    const before = await plane.audit.mark();
    const operator = run();
    await eventually(async () => expect(await readyz(operator)).toMatch(/^\[\+\]controllers ok$/m));
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const count = (filter: AuditFilter) => plane.audit.count({ user: OPERATOR.name, ...filter }, before);
    expect(await count({ verb: 'watch' })).toBe(16);
    // Two questions about the server, one about our rights, one about each CRD. Events are about what other tests left behind.
    const asked = await plane.audit.requests({ user: OPERATOR.name }, before);
    const others = asked.filter(({ verb, resource }) => verb !== 'watch' && resource !== 'events');
    expect(others.map(({ verb, resource, uri }) => `${verb} ${resource || uri}`).slice(7)).toEqual([]);
    const idle = await plane.audit.mark();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await plane.audit.count({ user: OPERATOR.name }, idle)).toBe(0);
    await operator.ended('SIGTERM');
  });
});

/** Writes a file for the operator to read and gives its path. */
function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('bad input is answered with one line and exit status 1', () => {
  it.each<[string, () => readonly string[] | Promise<readonly string[]>, RegExp]>([
    [
      'an unknown flag',
      () => ['--metrics-adr=:1'],
      /^manta operator: unknown flag --metrics-adr; did you mean --metrics-addr\? \(--help lists all\)$/,
    ],
    ['a value of the wrong kind', () => ['--burst=many'], /--burst: "many" is not a whole number$/],
    ['an unknown gate', () => ['--feature-gates=Warp=true'], /unrecognized feature gate: Warp/],
    [
      'a config file that is not there',
      () => ['--config=/nowhere/config.yaml'],
      /--config: cannot read \/nowhere\/config.yaml: there is no such file$/,
    ],
    [
      'a config file that is no YAML',
      () => [`--config=${write('broken.yaml', 'a: [')}`],
      /--config: .*broken.yaml is not YAML: .* at line \d+/,
    ],
    [
      'a config field of the wrong type',
      () => [
        `--config=${write('wrong.yaml', 'apiVersion: config.ray.io/v1alpha1\nkind: Configuration\nburst: 300.5\n')}`,
      ],
      /wrong.yaml: burst: expected a whole number, got .*300\.5/,
    ],
    [
      'a log level that does not exist',
      () => ['--zap-log-level=loud'],
      /--zap-log-level: "loud" is not debug, info, error, panic or a positive number$/,
    ],
    [
      'an address that is none',
      () => ['--metrics-addr=8080'],
      /--metrics-addr: "8080" is not an address to listen on \(did you mean ":8080"\?\)/,
    ],
    [
      'a kubeconfig that is not there',
      () => ['--kubeconfig=/nowhere/kubeconfig'],
      /--kubeconfig.*\/nowhere\/kubeconfig/,
    ],
    ['a kubeconfig that is garbage', () => [`--kubeconfig=${write('garbage', 'clusters: 7')}`], /garbage/],
    [
      'a gate that this API server is too old for',
      () => ['--feature-gates=KubernetesWAS=true'],
      /KubernetesWAS needs workloads in scheduling\.k8s\.io/,
    ],
    [
      'two schedulers',
      () => ['--enable-batch-scheduler', '--batch-scheduler=volcano'],
      /both feature flags enable-batch-scheduler/,
    ],
  ])('%s', async (_, args, message) => {
    const operator = run(await args());
    expect(await operator.ended()).toBe(1);
    const said = operator
      .log()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{'));
    expect(said).toEqual([expect.stringMatching(message)]);
  });

  it('no namespace for the lease outside a cluster', async () => {
    const operator = run(['--enable-leader-election=true']);
    expect(await operator.ended()).toBe(1);
    expect(operator.log()).toMatch(/give --leader-election-namespace, or --enable-leader-election=false/);
  });

  it('a server whose certificate is signed by somebody else', async () => {
    const text = plane.adminKubeconfig.text.replace(
      /certificate-authority-data: .*|"certificate-authority-data":\s*"[^"]*"/,
      (found) =>
        found.replace(/[A-Za-z0-9+/=]{40,}/, Buffer.from(createCertificateAuthority().cert).toString('base64')),
    );
    const operator = run([`--kubeconfig=${write('wrong-ca', text)}`]);
    expect(await operator.ended()).toBe(1);
    expect(operator.log()).toMatch(/manta operator: .*127\.0\.0\.1.*(certificate|CA)/);
  });

  it('a proxy that refuses', async () => {
    const proxy = createServer().on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const text = plane.adminKubeconfig.text.replace(
      /^(\s*)(server: .*)$/m,
      `$1$2\n$1proxy-url: http://127.0.0.1:${port}`,
    );
    const operator = run([`--kubeconfig=${write('proxied', text)}`]);
    expect(await operator.ended()).toBe(1);
    expect(operator.log()).toMatch(/manta operator: .*proxy.*403/);
    proxy.close();
  });
});
