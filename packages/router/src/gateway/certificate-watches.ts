import { ROUTER_LIMITS } from '@manta/base';
import { resources } from '@manta/kube';
import { createInformer, describeStatus, type Informer, type ObjectKey, toKey, type World } from '@manta/runtime';
import {
  type CertificateLookup,
  type CertificateRecord,
  certificateRecord,
  type SecretName,
  TLS_SECRET,
} from './observed.ts';

interface Watch {
  readonly informer: Informer<CertificateRecord>;
  readonly stop: AbortController;
}

/**
 * The certificates that listeners name, each followed by a watch of its own: no other Secret enters the process, whatever the router's Role
 * allows. A Secret that is no longer named is forgotten and its watch ends.
 */
export class CertificateWatches {
  readonly #world: World;
  readonly #onNews: () => void;
  readonly #limit: number;
  readonly #watches = new Map<ObjectKey, Watch>();
  /** Named Secrets beyond the limit, which are not watched. */
  #beyond: ReadonlySet<ObjectKey> = new Set();
  readonly #running = new Set<Promise<void>>();
  #isRunning = false;

  constructor(world: World, onNews: () => void, limit: number = ROUTER_LIMITS.secretWatches) {
    this.#world = world;
    this.#onNews = onNews;
    this.#limit = limit;
  }

  /** Watches these Secrets and no others; of too many, the first. */
  want(names: readonly SecretName[]): void {
    const wanted = new Map(names.slice(0, this.#limit).map((name) => [toKey(name.namespace, name.name), name]));
    for (const [key, { stop }] of this.#watches) {
      if (wanted.has(key)) continue;
      stop.abort();
      this.#watches.delete(key);
    }
    for (const [key, name] of wanted) {
      if (!this.#watches.has(key)) this.#start(key, name);
    }
    this.#leaveOut(names.slice(this.#limit));
  }

  lookup(namespace: string, name: string): CertificateLookup {
    const key = toKey(namespace, name);
    const informer = this.#watches.get(key)?.informer;
    if (informer === undefined) return { kind: 'unreadable', why: this.#beyond.has(key) ? this.#tooMany() : NOT_READ };
    if (informer.isReady()) {
      const record = informer.get(key);
      return record === undefined ? { kind: 'absent' } : { kind: 'found', record };
    }
    const status = informer.status();
    if (status.phase === 'starting') return { kind: 'unreadable', why: NOT_READ };
    return { kind: 'unreadable', why: `the router cannot see Secrets: ${describeStatus('Secret', status)}` };
  }

  /** Whether the API server has answered for each watched Secret. */
  isSettled(): boolean {
    return [...this.#watches.values()].every(
      ({ informer }) => informer.isReady() || ['absent', 'forbidden'].includes(informer.status().phase),
    );
  }

  /** Follows what is wanted until the signal is aborted and every watch has ended. */
  async run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    for (const watch of this.#watches.values()) this.#follow(watch);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#isRunning = false;
    for (const { stop } of this.#watches.values()) stop.abort();
    await Promise.all(this.#running);
  }

  #start(key: ObjectKey, { namespace, name }: SecretName): void {
    const informer = createInformer(this.#world, {
      type: resources.secrets,
      namespaces: [namespace],
      // By name, so that a Role may list the Secrets; by type, so that nothing but certificates is sent.
      fieldSelector: `metadata.name=${name},type=${TLS_SECRET}`,
      project: certificateRecord,
    });
    informer.onChange(this.#onNews);
    informer.onProgress(this.#onNews);
    informer.onStatus(this.#onNews);
    const watch = { informer, stop: new AbortController() };
    this.#watches.set(key, watch);
    if (this.#isRunning) this.#follow(watch);
  }

  #follow({ informer, stop }: Watch): void {
    const run = informer.run(stop.signal).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  #leaveOut(names: readonly SecretName[]): void {
    const isNews = names.length > 0 && this.#beyond.size === 0;
    this.#beyond = new Set(names.map(({ namespace, name }) => toKey(namespace, name)));
    if (!isNews) return;
    const first = names.map(({ namespace, name }) => `${namespace}/${name}`)[0];
    this.#world.log.named('router').warn('Listeners name more Secrets than the router watches', {
      limit: this.#limit,
      leftOut: names.length,
      first,
    });
  }

  #tooMany(): string {
    const named = this.#watches.size + this.#beyond.size;
    return `the router watches at most ${this.#limit} Secrets and listeners name ${named}; share certificates between listeners, or run a router for each set of namespaces (--namespaces)`;
  }
}

const NOT_READ = 'the API server has not sent it to the router yet';
