import type { KubeObject } from '@manta/api';
import { type KubeClient, type ResourceType, TransportError } from '@manta/kube';
import { hookClient } from './client-hook.ts';
import type { Facts } from './history.ts';

/** What a program was told of one of its writes. */
export type Answer =
  | { readonly kind: 'done'; readonly object: KubeObject | undefined }
  | { readonly kind: 'refused'; readonly error: unknown }
  /** It may have been carried out, or may yet be. */
  | { readonly kind: 'lost' };

/** A write that a program asked for. */
export interface SimRequest {
  /** Which life of the program. */
  readonly life: string;
  readonly verb: Write;
  /** What kind of object, e.g. `pods`. */
  readonly plural: string;
  /** Empty where many are meant. */
  readonly name: string;
  readonly sentAt: number;
  /** The store's newest revision when it was sent. */
  readonly revision: number;
  /** Undefined while it is under way, and for ever if the program dies before it comes. */
  answer: Answer | undefined;
  answeredAt: number | undefined;
}

const WRITES = ['create', 'update', 'patch', 'delete', 'deleteCollection', 'post'] as const;
type Write = (typeof WRITES)[number];

export interface RequestLog {
  /** Writes down a request that is sent now. */
  sent(request: Pick<SimRequest, 'life' | 'verb' | 'plural' | 'name'>): SimRequest;
  told(request: SimRequest, answer: Answer): void;
}

/** Writes down what a program asks for and is told, and counts what stays in doubt. */
export function logRequests(
  inner: KubeClient,
  life: string,
  log: RequestLog,
  facts: Facts,
): { readonly client: KubeClient; readonly pendingWrites: () => number } {
  let pending = 0;
  const follow = async (request: SimRequest, call: () => unknown): Promise<unknown> => {
    pending += 1;
    try {
      const answer = await call();
      log.told(request, { kind: 'done', object: isObject(answer) ? answer : undefined });
      return answer;
    } catch (error) {
      const isLost = error instanceof TransportError && !error.wasNeverSent;
      if (isLost) facts.doubtfulWrites += 1;
      log.told(request, isLost ? { kind: 'lost' } : { kind: 'refused', error });
      throw error;
    } finally {
      pending -= 1;
    }
  };
  const client = hookClient(inner, (method, call, args) =>
    isWrite(method) ? follow(log.sent({ life, verb: method, ...subjectOf(method, args) }), call) : call(),
  );
  return { client, pendingWrites: () => pending };
}

function subjectOf(
  verb: Write,
  [type, subject]: readonly unknown[],
): { readonly plural: string; readonly name: string } {
  if (verb === 'post') return { plural: String(type), name: '' };
  const { plural } = type as ResourceType;
  const { name, metadata } = subject as { readonly name?: string } & KubeObject;
  return { plural, name: name ?? metadata?.name ?? '' };
}

function isWrite(method: string): method is Write {
  return WRITES.some((write) => write === method);
}

function isObject(answer: unknown): answer is KubeObject {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'metadata' in answer &&
    'kind' in answer &&
    answer.kind !== 'Status'
  );
}
