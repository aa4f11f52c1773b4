import { exec } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { execInPod, forwardPorts, openPodPorts, resources, runInPod } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { provideKubeAssets } from '../../tools/fetch/kube/provide.ts';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { create, getText, isReady, NAMESPACE, until, untilObject } from './support/look.ts';

const MANIFEST = `
apiVersion: v1
kind: Pod
metadata: { name: web, labels: { app: web } }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: web
      image: busybox
      command: [python3, -u, -m, http.server, "8000", --directory, /etc]
      ports: [{ name: http, containerPort: 8000 }]
      readinessProbe: { tcpSocket: { port: http }, periodSeconds: 1 }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec:
  selector: { app: web }
  ports: [{ name: http, port: 80, targetPort: http }]
---
apiVersion: v1
kind: Pod
metadata: { name: eater }
spec:
  restartPolicy: Never
  containers:
    - name: main
      image: busybox
      command: [python3, -c, "print(len('a' * 300_000_000))"]
      resources: { limits: { memory: 64Mi } }
---
apiVersion: v1
kind: Pod
metadata: { name: stranger }
spec:
  containers: [{ name: main, image: "example.com/team/thing:1" }]
`;

/** Programs of a pod that do a bit of everything a kubelet is asked for; what they leave at their end is found in `out`. */
const chores = (out: string) => `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { greeting: hello }
---
apiVersion: v1
kind: Secret
metadata: { name: hidden }
data: { word: ${Buffer.from('secret').toString('base64')} }
---
apiVersion: v1
kind: Pod
metadata: { name: chores, labels: { tier: test } }
spec:
  initContainers:
    - name: first
      image: busybox
      command: [sh, -c, "sleep 0.3; echo first >> /data/order"]
      volumeMounts: [{ name: work, mountPath: /data }]
    - name: second
      image: busybox
      command: [sh, -c, "echo second >> /data/order"]
      volumeMounts: [{ name: work, mountPath: /data }]
  containers:
    - name: main
      image: bash
      workingDir: /data
      command:
        - bash
        - -c
        - |
          trap 'echo asked >> /out/end; exit 0' TERM
          cat order /settings/greeting; echo; pwd; stat -f -c %T /fast
          until (exec 3<>/dev/tcp/127.0.0.1/8001) 2> /dev/null; do sleep 0.1; done; cat /data/peer
          while :; do sleep 0.1; done
      env:
        - { name: GREETING, valueFrom: { configMapKeyRef: { name: settings, key: greeting } } }
        - { name: WORD, valueFrom: { secretKeyRef: { name: hidden, key: word } } }
        - { name: TIER, valueFrom: { fieldRef: { fieldPath: "metadata.labels['tier']" } } }
        - { name: CPUS, valueFrom: { resourceFieldRef: { resource: limits.cpu } } }
        - { name: ALL, value: "$(GREETING) $(WORD) $(TIER) $(CPUS) $$(WORD)" }
      resources: { limits: { cpu: 1500m } }
      lifecycle:
        postStart: { exec: { command: [sh, -c, "echo $ALL >> /out/begin"] } }
        preStop: { exec: { command: [sh, -c, "sleep 0.3; echo stopping >> /out/end"] } }
      volumeMounts:
        - { name: work, mountPath: /data }
        - { name: fast, mountPath: /fast }
        - { name: settings, mountPath: /settings }
        - { name: out, mountPath: /out }
    - name: peer
      image: bash
      command: [bash, -c, "trap 'exit 0' TERM; echo reached > /data/peer; python3 -m http.server 8001 --bind 127.0.0.1 & wait"]
      volumeMounts: [{ name: work, mountPath: /data }]
  volumes:
    - { name: work, emptyDir: {} }
    - { name: fast, emptyDir: { medium: Memory, sizeLimit: 1Mi } }
    - { name: settings, configMap: { name: settings } }
    - { name: out, hostPath: { path: ${out} } }
---
apiVersion: v1
kind: Pod
metadata: { name: failing }
spec:
  restartPolicy: OnFailure
  containers:
    - name: main
      image: bash
      command: [bash, -c, "echo x >> /data/runs; n=$(wc -l < /data/runs); echo run $n; echo died $n > /dev/termination-log; exit 3"]
      volumeMounts: [{ name: work, mountPath: /data }]
  volumes: [{ name: work, emptyDir: {} }]
`;

describe('a pod that runs on this machine', () => {
  let ray: LocalRay;
  let out: string;
  const target = { namespace: NAMESPACE, pod: 'web' };

  beforeAll(async () => {
    ray = await startLocalRay();
    out = join(ray.folder, 'out');
    mkdirSync(out);
    await create(ray, MANIFEST + '---' + chores(out));
    await untilObject(ray, resources.pods, 'web', isReady);
  });
  afterAll(() => endLocalRay(ray));

  const run = (command: readonly string[], input?: string | Uint8Array) =>
    runInPod(ray.connection, { ...target, command }, input);

  it('runs a command with its output, its errors and its code', async () => {
    const { code, stdout, stderr } = await run(['sh', '-c', 'hostname; echo oops >&2; exit 7']);
    expect({ code, out: String(stdout), err: String(stderr) }).toEqual({ code: 7, out: 'web\n', err: 'oops\n' });
    expect((await run(['true'])).code).toBe(0);
    expect((await run(['no-such-program'])).code).toBe(127);
  });

  it('reads all that a command is told, from the first byte on', async () => {
    const input = Buffer.alloc(3_000_000, 'abcdefghijk');
    const { stdout } = await run(['cat'], input);
    expect(stdout.equals(input)).toBe(true);
  });

  it('gives a command a terminal', async () => {
    const command = ['sh', '-c', 'tty; exit 5'];
    const session = await execInPod(ray.connection, { ...target, command, tty: true, stdin: true, stderr: false });
    const [said, exit] = await Promise.all([text(session.stdout), session.exit]);
    expect(said).toContain('/dev/pts/');
    expect(exit).toEqual({ code: 5 });
  });

  it('ends a command whose caller has hung up', async () => {
    const isThere = async () => (await run(['sh', '-c', 'ps ax | grep -c "[s]leep 4321"'])).stdout.toString().trim();
    const session = await execInPod(ray.connection, { ...target, command: ['sleep', '4321'] });
    await until('the command', isThere, (count) => count === '1');
    session.exit.catch(() => undefined);
    session.close();
    expect(await until('its end', isThere, (count) => count === '0')).toBe('0');
  });

  it('is reached over SPDY by kubectl older than 1.31, for exec, cp and attach', async () => {
    const programs = await provideKubeAssets({ extra: ['kubectl'] });
    const kubectl = (args: string) => {
      const env = { ...process.env, KUBECONFIG: ray.kubeconfig, KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' };
      return promisify(exec)(`${join(programs, 'kubectl')} ${args}`, { env, cwd: ray.folder });
    };
    await expect(kubectl(`exec web -- sh -c 'hostname; echo oops >&2; exit 7'`)).rejects.toMatchObject({
      code: 7,
      stdout: 'web\n',
      stderr: expect.stringMatching(/^oops\n/),
    });
    expect(await kubectl('exec -i web -- wc -c < /bin/sh')).toMatchObject({
      stdout: expect.stringMatching(/^[1-9]\d{4,}\n$/),
    });
    expect(await kubectl(`exec web -- head -c 5000000 /dev/zero | wc -c`)).toMatchObject({ stdout: '5000000\n' });
    await kubectl('cp web:/etc/hosts hosts');
    expect(readFileSync(join(ray.folder, 'hosts'), 'utf8')).toContain('web.default.svc.cluster.local');
    // A first line, then the end of kubectl: the container writes nothing more.
    const attached = await kubectl('attach web -c web & sleep 1; kill $!');
    expect(attached.stderr).not.toMatch(/unable to upgrade|error:/);
  });

  it('has its ports forwarded', async () => {
    const forwarding = await forwardPorts(ray.connection, { ...target, ports: [{ local: 0, remote: 8000 }] });
    try {
      const answers = await Promise.all(
        ['hosts', 'passwd'].map(async (file) => {
          const answer = await fetch(`http://127.0.0.1:${forwarding.ports[0]?.local}/${file}`);
          return await answer.text();
        }),
      );
      expect(answers[0]).toContain('web.default.svc.cluster.local');
      expect(answers[1]).toContain('root:');
    } finally {
      await forwarding.close();
    }
    const [nobody] = await openPodPorts(ray.connection, { ...target, ports: [9] });
    await vi.waitFor(() => expect(String(nobody?.errored)).toContain('ECONNREFUSED'));
  });

  it('reaches the API server by its name and by its Service, and trusts it', async () => {
    const { spec } = await untilObject(ray, resources.services, 'kubernetes', () => true);
    const account = '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt';
    const script = `import ssl, sys, urllib.request as web
trust = ssl.create_default_context(cafile='${account}')
for host in sys.argv[1:]: print(web.urlopen(f'https://{host}/version', context=trust).status)`;
    const { stdout, stderr } = await run(['python3', '-c', script, 'kubernetes.default.svc', spec?.clusterIP ?? '']);
    expect([String(stdout), String(stderr)]).toEqual(['200\n200\n', '']);
  });

  it('answers through the API server, by its name and by its Service', async () => {
    const get = (path: string) => getText(ray, `/api/v1/namespaces/default/${path}`);
    for (const name of ['pods/web', 'pods/web:8000', 'services/web', 'services/web:80', 'services/http:web:http'])
      expect(await get(`${name}/proxy/hosts`)).toMatchObject({
        status: 200,
        text: expect.stringContaining('web.default.svc.cluster.local'),
      });
    const refused = [await get('pods/web:9/proxy/'), await get('services/web:81/proxy/')];
    expect(refused.map(({ status }) => status)).toEqual([503, 503]);
    expect(refused[0]?.text).toContain('ECONNREFUSED');
    expect(refused[1]?.text).toContain('no service port 81 found for service \\"web\\"');
  });

  const logOf = async (pod: string, query = '') =>
    (await getText(ray, `/api/v1/namespaces/default/pods/${pod}/log?container=main&${query}`)).text;

  it('has its init containers run in order, its variables, its volumes and its hooks, and its containers find each other', async () => {
    await untilObject(ray, resources.pods, 'chores', isReady);
    const words = await until(
      'its words',
      () => logOf('chores'),
      (said) => said.includes('reached'),
    );
    expect(words).toBe('first\nsecond\nhello\n/data\ntmpfs\nreached\n');
    expect(readFileSync(join(out, 'begin'), 'utf8')).toBe('hello secret test 2 $(WORD)\n');
  });

  it('gives its log by lines, by bytes, by age and with times', async () => {
    expect(await logOf('chores', 'tailLines=1')).toBe('reached\n');
    expect(await logOf('chores', 'limitBytes=5')).toBe('first');
    expect(await logOf('chores', 'sinceSeconds=3600&tailLines=2')).toBe('tmpfs\nreached\n');
    expect(await logOf('chores', 'sinceTime=2999-01-01T00:00:00Z')).toBe('');
    const [, time = ''] = /^(\S+) reached\n$/.exec(await logOf('chores', 'timestamps=true&tailLines=1')) ?? [];
    expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(600_000);
  });

  it('is started again after failures, ever later, with its last words', async () => {
    const { status } = await untilObject(
      ray,
      resources.pods,
      'failing',
      ({ status: now }) => now?.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff',
    );
    const [main] = status?.containerStatuses ?? [];
    expect(main).toMatchObject({
      restartCount: 1,
      state: {
        waiting: { message: expect.stringMatching(/^back-off 10s restarting failed container=main pod=failing_/) },
      },
      lastState: { terminated: { exitCode: 3, reason: 'Error', message: 'died 2\n' } },
    });
    expect(await logOf('failing', 'previous=true')).toBe('run 2\n');
  });

  it('is asked to end after its hook has run, and ends in its time', async () => {
    await ray.client.delete(resources.pods, { namespace: NAMESPACE, name: 'chores' });
    const left = () => readFileSync(join(out, 'end'), 'utf8');
    await until(
      'its end',
      async () => left(),
      (said) => said.includes('asked'),
    );
    expect(left()).toBe('stopping\nasked\n');
    const gone = () => getText(ray, '/api/v1/namespaces/default/pods/chores');
    expect((await until('its going', gone, ({ status }) => status === 404)).status).toBe(404);
  });

  it('is ended when it takes more memory than it may, where limits can be enforced', async () => {
    const { status } = await untilObject(
      ray,
      resources.pods,
      'eater',
      ({ status: now }) => now?.containerStatuses?.[0]?.state?.terminated !== undefined,
    );
    const { exitCode, reason } = status?.containerStatuses?.[0]?.state?.terminated ?? {};
    const killed = { exitCode: 137, reason: 'OOMKilled', phase: 'Failed' };
    const isEnforced = ray.log().includes('memory and CPU limits are enforced');
    expect({ exitCode, reason, phase: status?.phase }).toEqual(
      isEnforced ? killed : { exitCode: 0, reason: 'Completed', phase: 'Succeeded' },
    );
  });

  it('waits with a sentence that says what to do when its image is unknown', async () => {
    const pod = await untilObject(
      ray,
      resources.pods,
      'stranger',
      ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ErrImagePull',
    );
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toContain(
      'no program on this machine stands for the image "example.com/team/thing:1": pods are processes here, nothing is pulled; manta up --image example.com/team/thing=<folder>',
    );
  });
});
