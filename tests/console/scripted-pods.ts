import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Pod } from '@manta/api';
import type { KubeClient } from '@manta/kube';
import { resources } from '@manta/kube';
import type { PodBackend, PodCall } from '../../packages/apiserver/src/subresources/pod-backend.ts';
import { serveExec } from '../../packages/kubelet/src/backend/exec.ts';
import { servePortForward } from '../../packages/kubelet/src/backend/port-forward.ts';

export interface ScriptedPods {
  readonly backend: PodBackend;
  /** What `logs` of a pod gives, by pod name. */
  readonly logs: Map<string, () => AsyncIterable<string>>;
  /** Loopback ports of this machine that stand for ports of pods: `pod:8265`. */
  readonly ports: Map<string, number>;
}

/** Pods without a node: their logs are scripts, commands run as processes of this machine, their ports are ports of this machine. */
export function scriptedPods(): ScriptedPods {
  const logs: ScriptedPods['logs'] = new Map();
  const ports: ScriptedPods['ports'] = new Map();
  const backend: PodBackend = {
    async handle(call) {
      const { name } = call.pod.metadata;
      if (call.subresource === 'log') {
        call.response.writeHead(200, { 'content-type': 'text/plain' });
        for await (const text of logs.get(name)?.() ?? []) {
          if (call.response.destroyed === true) return;
          if (!call.response.write(text)) await drained(call.response);
        }
        call.response.end();
        return;
      }
      const sandbox = { exec, connect: async (port: number) => await dial(ports.get(`${name}:${port}`)) };
      const container = { process: {}, container: { name: 'ray-head' } };
      if (call.subresource === 'exec') await serveExec(sandbox as never, container as never, call);
      else await servePortForward(sandbox as never, call);
    },
  };
  return { backend, logs, ports };
}

function drained(response: PodCall['response']): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

async function exec(_process: unknown, [program = '', ...args]: readonly string[]) {
  const child = spawn(program, args, { stdio: 'pipe' });
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? 137 }));
  return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, ended, kill: () => child.kill('SIGKILL') };
}

async function dial(port = 0) {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  return socket;
}

/** A pod that a kubelet would report as running. */
export async function createRunningPod(
  client: KubeClient,
  name: string,
  { labels = {}, owner, env = [], podIP = '10.99.0.1', namespace = 'default' }: PodOptions = {},
): Promise<void> {
  await client.create(resources.pods, {
    metadata: { name, namespace, labels, ...(owner === undefined ? {} : { ownerReferences: [owner] }) },
    spec: { nodeName: 'node-1', containers: [{ name: 'ray-head', image: 'rayproject/ray:2.53.0', env }] },
  });
  await client.patch(
    resources.pods,
    { namespace, name },
    {
      type: 'merge',
      body: {
        status: {
          phase: 'Running',
          podIP,
          podIPs: [{ ip: podIP }],
          conditions: [{ type: 'Ready', status: 'True' }],
          containerStatuses: [
            {
              name: 'ray-head',
              image: 'x',
              imageID: 'x',
              ready: true,
              restartCount: 0,
              state: { running: { startedAt: new Date().toISOString() } },
            },
          ],
        },
      },
    },
    { subresource: 'status' },
  );
}

interface PodOptions {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly owner?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
  };
  readonly env?: NonNullable<NonNullable<Pod['spec']>['containers'][number]['env']>;
  readonly podIP?: string;
}
