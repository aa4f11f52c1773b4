import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { provideKueue } from '../../tools/fetch/kueue/provide.ts';
import { until } from '../integration/stage.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { freePort } from '../support/free-port.ts';
import { GuardedProcess } from '../support/guarded-process.ts';
import type { Answered } from '../real/ray-api.ts';

/** Kueue at work. */
export interface RunningKueue {
  log(): string;
  stop(): Promise<void>;
}

const API = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const WITH_ETC = 'mount --bind "$0" /etc && exec "$@"';
/** Its webhooks for other kinds of jobs are not asked. */
const OURS = /-(ray-io-v1|kueue-x-k8s-io)-/;

/** Installs Kueue's own definitions and webhooks and starts its program, which admits RayClusters and RayJobs of queues. */
export async function startKueue(plane: ControlPlane): Promise<RunningKueue> {
  const { program, sources } = await provideKueue();
  const { folder } = plane.access;
  const port = await freePort();
  const health = await freePort();
  const identity = plane.ca.issue({ commonName: 'kueue', ips: ['127.0.0.1'], usages: ['server'] });
  const etc = join(folder, 'kueue-etc');
  const certDir = join(etc, 'kueue/metrics/certs');
  mkdirSync(certDir, { recursive: true });
  writeFileSync(join(certDir, 'tls.crt'), identity.cert);
  writeFileSync(join(certDir, 'tls.key'), identity.key, { mode: 0o600 });
  const reach = (path: string) => ({
    url: `https://127.0.0.1:${port}${path}`,
    caBundle: Buffer.from(plane.ca.cert).toString('base64'),
  });
  const must = async (path: string, body: unknown) => {
    const made = await plane.request('POST', path, body);
    if (made.status !== 201) throw new Error(made.text);
  };

  const crds = join(sources, 'config/components/crd');
  const { patches } = parse(readFileSync(join(crds, 'kustomization.yaml'), 'utf8'));
  const converted: readonly string[] = patches.map(({ path }: Answered) => path);
  for (const file of readdirSync(join(crds, 'bases'))) {
    const crd = parse(readFileSync(join(crds, 'bases', file), 'utf8'));
    const isConverted = converted.includes(`patches/webhook_in_${crd.spec.names.plural}.yaml`);
    const webhook = { clientConfig: reach('/convert'), conversionReviewVersions: ['v1'] };
    await must(
      API,
      isConverted ? { ...crd, spec: { ...crd.spec, conversion: { strategy: 'Webhook', webhook } } } : crd,
    );
  }
  const plurals = readdirSync(join(crds, 'bases')).map((file) => file.replace(/^.*_|\.yaml$/g, ''));
  await until('the definitions to be served', async () => {
    const { text } = await plane.request('GET', '/apis/kueue.x-k8s.io/v1beta2');
    return plurals.every((plural) => text.includes(`"name":"${plural}"`)) ? true : undefined;
  });
  const configuration = {
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    health: { healthProbeBindAddress: `127.0.0.1:${health}` },
    metrics: { bindAddress: '0' },
    webhook: { host: '127.0.0.1', port, certDir },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: false },
    clientConnection: { qps: 200, burst: 400 },
    integrations: { frameworks: ['ray.io/rayjob', 'ray.io/raycluster'] },
  };
  const file = join(folder, 'kueue.yaml');
  writeFileSync(file, stringify(configuration));
  const log = join(folder, 'kueue.log');
  const args = [`--config=${file}`, `--kubeconfig=${plane.admin.kubeconfig.path}`];
  const server = new GuardedProcess({
    // Where certificates are not its own affair it wants those of its metrics in /etc, whether they are served or not.
    command: 'unshare',
    args: ['-rm', 'sh', '-c', WITH_ETC, etc, program, ...args, '--feature-gates=VisibilityOnDemand=false'],
    logFile: log,
    folder: join(folder, 'none'),
  });
  await server.until('ready', async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok);
  const hooks = parseAllDocuments(readFileSync(join(sources, 'config/components/webhook/manifests.yaml'), 'utf8'));
  for (const each of hooks.map((document): Answered => document.toJS())) {
    const webhooks = each.webhooks.flatMap((hook: Answered) =>
      OURS.test(hook.clientConfig.service.path)
        ? [{ ...hook, clientConfig: reach(hook.clientConfig.service.path) }]
        : [],
    );
    await must(`${ADMISSION}/${each.kind.toLowerCase()}s`, { ...each, webhooks });
  }
  return { log: () => readFileSync(log, 'utf8'), stop: () => server.stop('SIGTERM') };
}
