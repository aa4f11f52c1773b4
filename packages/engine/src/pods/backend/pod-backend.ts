import { StatusError } from '../../status-error.ts';
import type { PodBackend } from '../../server/subresources/pod-backend.ts';
import type { ProcessKubelet } from '../kubelet/process-kubelet.ts';
import { serveLog } from './log.ts';

/** Answers for pods that are processes: their logs so far. */
export function podBackend(kubelet: ProcessKubelet): PodBackend {
  return {
    async handle(call) {
      const { namespace = '', name } = call.pod.metadata;
      const worker = kubelet.worker(namespace, name);
      const container = worker?.container(call.query.get('container') ?? undefined);
      if (container === undefined) throw new StatusError(500, '', `pod ${name} does not run on this machine any more`);
      if (call.subresource === 'log') {
        await serveLog(container, call);
        return;
      }
      throw new StatusError(501, 'NotImplemented', `${call.subresource} is not served here`);
    },
  };
}
