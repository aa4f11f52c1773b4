import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, RayCluster } from '@manta/api';
import { type KubeClient, resources } from '@manta/kube';
import type { ServerAccess } from '../conformance/support/http-target.ts';
import { openStage, type Stage } from '../integration/stage.ts';
import { kubeconfigText } from '../support/kubeconfig-text.ts';
import { type CliOptions, type CliResult, runCli } from './run-cli.ts';

/** A server with our CRDs, a namespace, and the command line in an administrator's name. No operator runs: tests write statuses themselves. */
export class CliStage {
  readonly admin: KubeClient;
  readonly namespace: string;
  /** For files that a command reads. */
  readonly folder: string;
  readonly kubeconfig: string;
  readonly #access: ServerAccess;
  readonly #stage: Stage;
  #count = 0;

  private constructor(access: ServerAccess, stage: Stage, namespace: string) {
    this.#access = access;
    this.#stage = stage;
    this.admin = stage.admin;
    this.namespace = namespace;
    this.folder = mkdtempSync(join(tmpdir(), 'manta-cli-'));
    this.kubeconfig = this.kubeconfigOf('cli-admin', ['system:masters']);
  }

  static async open(access: ServerAccess): Promise<CliStage> {
    const stage = await openStage(access);
    return new CliStage(access, stage, await stage.target.namespace());
  }

  async close(): Promise<void> {
    await this.#stage.close();
    rmSync(this.folder, { recursive: true });
  }

  /** A name that no other case has. */
  unique(prefix: string): string {
    this.#count++;
    return `${prefix}-${this.#count}`;
  }

  /** Runs a command line, words separated by spaces, in the stage's namespace. */
  ray(args: string, options?: CliOptions): Promise<CliResult> {
    return runCli(this.kubeconfig, ['-n', this.namespace, ...args.split(' ')], options);
  }

  /** A kubeconfig of a user who may do nothing unless a group says otherwise. */
  kubeconfigOf(user: string, groups: readonly string[]): string {
    const path = join(this.folder, `${user}.kubeconfig`);
    const { url, caCert: ca } = this.#access;
    const credentials = { url, ca, ...this.#access.issue({ name: user, groups }) };
    writeFileSync(path, kubeconfigText({ ...credentials, user }), { mode: 0o600 });
    return path;
  }

  /** A RayCluster with one group, `workers`, of 2 replicas between 1 and 5. */
  async createdCluster(name: string, extra: Partial<RayCluster['spec']> = {}): Promise<RayCluster> {
    const { namespace } = this;
    const template = (container: string) => ({
      spec: { containers: [{ name: container, image: 'ray', resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
    });
    const counts = { replicas: 2, minReplicas: 1, maxReplicas: 5 };
    return await this.admin.create(resources.rayClusters, {
      metadata: { name, namespace },
      spec: {
        headGroupSpec: { rayStartParams: {}, template: template('ray-head') },
        workerGroupSpecs: [{ groupName: 'workers', ...counts, rayStartParams: {}, template: template('ray-worker') }],
        ...extra,
      },
    });
  }

  async setStatus(name: string, status: RayCluster['status']): Promise<void> {
    const ref = { namespace: this.namespace, name };
    const patch = { type: 'merge', body: { status } } as const;
    await this.admin.patch(resources.rayClusters, ref, patch, { subresource: 'status' });
  }

  async createdPod(cluster: string, name: string, nodeType: 'head' | 'worker', isReady: boolean): Promise<void> {
    const { namespace } = this;
    const labels = {
      'ray.io/cluster': cluster,
      'ray.io/node-type': nodeType,
      'ray.io/group': nodeType === 'head' ? 'headgroup' : 'workers',
      'ray.io/is-ray-node': 'yes',
    };
    const container = { name: 'ray', image: 'ray', resources: { requests: { cpu: '500m', memory: '1Gi' } } };
    const pod: Pod = { metadata: { name, namespace, labels }, spec: { containers: [container] } };
    await this.admin.create(resources.pods, pod);
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }] as const;
    const body = { status: { phase: 'Running', conditions } };
    await this.admin.patch(resources.pods, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
  }

  async cluster(name: string): Promise<RayCluster> {
    return await this.admin.get(resources.rayClusters, { namespace: this.namespace, name });
  }
}
