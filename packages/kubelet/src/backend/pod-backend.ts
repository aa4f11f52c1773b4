import type { Clock } from '@manta/kube';
import { badRequest, type PodBackend, StatusError } from '@manta/apiserver';
import type { ProcessKubelet } from '../pods/process-kubelet.ts';
import { serveAttach } from './attach.ts';
import { serveExec } from './exec.ts';
import { serveLog } from './log.ts';
import { servePortForward } from './port-forward.ts';
import { serveProxy } from './proxy.ts';

/** Answers for pods that are processes of this machine. */
export function podBackend(kubelet: ProcessKubelet, clock: Clock): PodBackend {
  return {
    async handle(call) {
      const { namespace = '', name } = call.pod.metadata;
      const worker = kubelet.worker(namespace, name);
      const container = worker?.container(call.query.get('container') ?? undefined);
      const sandbox = worker?.sandbox;
      if (container === undefined) throw new StatusError(500, '', `pod ${name} does not run on this machine any more`);
      if (call.subresource === 'log') {
        await serveLog(container, call, clock.now());
        return;
      }
      if (sandbox === undefined) throw badRequest(`pod ${name} is not running`);
      switch (call.subresource) {
        case 'exec':
          await serveExec(sandbox, container, call);
          return;
        case 'portforward':
          await servePortForward(sandbox, call);
          return;
        case 'proxy':
          await serveProxy(sandbox, container.container.ports?.[0]?.containerPort ?? 80, call);
          return;
        case 'attach':
          await serveAttach(container, call);
          return;
      }
    },
  };
}
