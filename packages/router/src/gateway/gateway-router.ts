import { ROUTER_LIMITS } from '@manta/base';
import { ApiError } from '@manta/kube';
import {
  type Controller,
  createController,
  describeStatus,
  done,
  type Informer,
  keyOf,
  type ReconcileContext,
  type ReconcileResult,
  type Runnable,
  type World,
} from '@manta/runtime';
import type { Proxy } from '../proxy/proxy.ts';
import { type Built, buildRoutes } from './build-routes.ts';
import { CertificateWatches } from './certificate-watches.ts';
import {
  createGatewayCache,
  type GatewayCache,
  observe,
  optionalInformers,
  requiredInformers,
} from './gateway-cache.ts';
import {
  CONTROLLER_NAME,
  type GatewayClass,
  gatewayClasses,
  type GatewayStatus,
  gateways,
  httpRoutes,
} from './kinds.ts';
import { namedSecrets } from './named-secrets.ts';
import { gatewayStatus, routeStatus } from './statuses.ts';
import { areSaid, judge, mergeConditions, type Verdict } from './verdict.ts';
import { createClass, writeStatus } from './writes.ts';

export interface GatewayRouterOptions {
  readonly proxy: Pick<Proxy, 'setTable' | 'setReason'>;
  readonly className: string;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  /** What Gateways say of where they are reached; undefined leaves it open. */
  readonly addresses?: GatewayStatus['addresses'];
}

/** Builds a proxy's route table from Gateways, routes and endpoints, and writes their status. */
export interface GatewayRouter {
  readonly informers: readonly Informer[];
  readonly controllers: readonly Controller[];
  readonly runnables: readonly Runnable[];
  /** Resolves when there is a table, or when it is known that there is none because a kind is out of reach. */
  readonly hasNews: Promise<void>;
  /** From now on clients are served, and statuses say so. */
  announce(): void;
}

export function createGatewayRouter(world: World, options: GatewayRouterOptions): GatewayRouter {
  return new TableKeeper(world, options);
}

class TableKeeper implements GatewayRouter {
  readonly informers: readonly Informer[];
  readonly controllers: readonly Controller[];
  readonly runnables: readonly Runnable[];
  readonly hasNews: Promise<void>;
  readonly #world: World;
  readonly #options: GatewayRouterOptions;
  readonly #cache: GatewayCache;
  readonly #certificates: CertificateWatches;
  readonly #gateways: Controller;
  readonly #routes: Controller;
  readonly #classes: Controller;
  #built: Built | undefined;
  #isServing = false;
  #isScheduled = false;
  /** The wait for newly named Secrets; undefined: none is being waited for. */
  #patience: { isOver: boolean; readonly cancel: () => void } | undefined;
  #notify: () => void = () => undefined;
  #lastReason: string | undefined;

  constructor(world: World, options: GatewayRouterOptions) {
    this.#world = world;
    this.#options = options;
    this.#cache = createGatewayCache(world, options.namespaces);
    this.#certificates = new CertificateWatches(world, () => this.#schedule());
    const run = (signal: AbortSignal) => this.#certificates.run(signal);
    this.runnables = [{ name: 'certificates', needsLeader: false, run }];
    this.hasNews = new Promise((resolve) => {
      this.#notify = resolve;
    });
    const required = requiredInformers(this.#cache);
    this.informers = [...required, ...optionalInformers(this.#cache)];
    const controller = (kind: string, reconcile: Reconcile, needs = required) =>
      createController(world, { name: kind.toLowerCase(), kind, sources: [], required: needs, reconcile });
    this.#gateways = controller('Gateway', (key, context) => this.#tellGateway(key, context));
    this.#routes = controller('HTTPRoute', (key, context) => this.#tellRoute(key, context));
    this.#classes = controller('GatewayClass', (key, context) => this.#tellClass(key, context), [this.#cache.classes]);
    this.controllers = [this.#gateways, this.#routes, this.#classes];
    for (const informer of this.informers) {
      informer.onChange(() => this.#schedule());
      informer.onProgress(() => this.#schedule());
      informer.onStatus(() => this.#schedule());
    }
  }

  announce(): void {
    this.#isServing = true;
    this.#schedule();
  }

  /** Many changes come at once; one table answers them all. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#world.clock.setTimer(0, () => {
      this.#isScheduled = false;
      this.#rebuild();
    });
  }

  /** A table that is there stays until there is a better one: an API server that is away stops no traffic. */
  #rebuild(): void {
    const missing = requiredInformers(this.#cache).filter((informer) => !informer.isReady());
    if (missing.length > 0 || !optionalInformers(this.#cache).every(isSettled)) {
      this.#explain(missing);
      return;
    }
    this.#lastReason = undefined;
    const observed = observe(this.#cache);
    this.#certificates.want(namedSecrets(observed, this.#options.className));
    if (this.#waitsForSecrets()) return;
    const certificate = (namespace: string, name: string) => this.#certificates.lookup(namespace, name);
    this.#built = buildRoutes({ ...observed, certificate }, this.#options.className);
    this.#options.proxy.setTable(this.#built.table);
    this.#notify();
    if (this.#isServing) this.#enqueueUnsaid();
  }

  /**
   * Whether newly named Secrets are still to come. The old table serves until then, so that no listener loses its certificate for a moment;
   * Secrets that do not arrive in time delay no other change.
   */
  #waitsForSecrets(): boolean {
    if (this.#certificates.isSettled()) {
      this.#patience?.cancel();
      this.#patience = undefined;
      return false;
    }
    this.#patience ??= this.#startPatience();
    return !this.#patience.isOver;
  }

  #startPatience() {
    const cancel = this.#world.clock.setTimer(ROUTER_LIMITS.newSecretMs, () => {
      patience.isOver = true;
      this.#schedule();
    });
    const patience = { isOver: false, cancel };
    return patience;
  }

  #explain(missing: readonly Informer[]): void {
    const shut = missing.filter((informer) => ['absent', 'forbidden'].includes(informer.status().phase));
    if (shut.length === 0) return;
    const told = shut.map((informer) => describeStatus(informer.type.kind, informer.status())).join('; ');
    const isAbsent = shut.some((informer) => informer.status().phase === 'absent');
    const reason = `the router cannot see its routes: ${told}${isAbsent ? INSTALL_HINT : ''}`;
    if (reason === this.#lastReason) return;
    this.#lastReason = reason;
    this.#options.proxy.setReason(reason);
    this.#world.log.named('router').warn('Waiting for what routes are made of', { reason });
    this.#notify();
  }

  #enqueueUnsaid(): void {
    const now = this.#now();
    this.#enqueueClasses();
    for (const [key, verdict] of this.#built?.gateways ?? []) {
      const held = this.#cache.gateways.get(key)?.status;
      if (gatewayStatus(held, verdict, this.#options.addresses, now) !== undefined) this.#gateways.enqueue(key);
    }
    for (const key of this.#cache.routes.keys()) {
      const verdicts = this.#built?.routes.get(key) ?? [];
      if (routeStatus(this.#cache.routes.get(key)?.status, verdicts, now) !== undefined) this.#routes.enqueue(key);
    }
  }

  #enqueueClasses(): void {
    const { className } = this.#options;
    const { classes } = this.#cache;
    if (classes.isReady() && classes.get(className) === undefined) this.#classes.enqueue(className);
    for (const held of classes.records()) {
      if (isOurClass(held) && !areSaid(held.status?.conditions, [servesClass(held)]))
        this.#classes.enqueue(keyOf(held));
    }
  }

  async #tellGateway(key: string, context: ReconcileContext): Promise<ReconcileResult> {
    const gateway = this.#cache.gateways.get(key);
    const verdict = this.#built?.gateways.get(key);
    if (gateway === undefined || verdict === undefined) return done;
    const status = gatewayStatus(gateway.status, verdict, this.#options.addresses, this.#now());
    if (status === undefined) return done;
    const informer = this.#cache.gateways;
    await writeStatus(this.#world.client, gateways, gateway, status, { context, informer });
    return done;
  }

  async #tellRoute(key: string, context: ReconcileContext): Promise<ReconcileResult> {
    const route = this.#cache.routes.get(key);
    if (route === undefined) return done;
    const status = routeStatus(route.status, this.#built?.routes.get(key) ?? [], this.#now());
    if (status === undefined) return done;
    await writeStatus(this.#world.client, httpRoutes, route, status, { context, informer: this.#cache.routes });
    return done;
  }

  /** Creates our GatewayClass if it is missing. Without the permission to do so, Gateways of that class are served anyway. */
  async #tellClass(key: string, context: ReconcileContext): Promise<ReconcileResult> {
    const { classes } = this.#cache;
    const held = classes.get(key);
    try {
      if (held === undefined) {
        await createClass(this.#world.client, key, context.signal);
        return done;
      }
      const verdict = servesClass(held);
      if (!isOurClass(held) || areSaid(held.status?.conditions, [verdict])) return done;
      const status = { conditions: mergeConditions(held.status?.conditions, [verdict], this.#now()) };
      await writeStatus(this.#world.client, gatewayClasses, held, status, { context, informer: classes });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 403)) throw error;
      context.log.warn('May not look after the GatewayClass; Gateways that name it are served', {
        reason: error.message,
      });
    }
    return done;
  }

  #now(): string {
    return new Date(this.#world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  }
}

type Reconcile = (key: string, context: ReconcileContext) => Promise<ReconcileResult>;

const INSTALL_HINT =
  '; install the Gateway API (https://gateway-api.sigs.k8s.io/guides) or start the router with --install-crds';

function isOurClass({ spec }: GatewayClass): boolean {
  return spec?.controllerName === CONTROLLER_NAME;
}

function servesClass({ metadata }: GatewayClass): Verdict {
  return judge(metadata?.generation).yes('Accepted', 'the router of Manta serves this class');
}

/** Its content is there, or it is known that it will not come. */
function isSettled(informer: Informer): boolean {
  return informer.isReady() || ['absent', 'forbidden'].includes(informer.status().phase);
}
