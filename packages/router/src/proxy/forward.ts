import type { Writable } from 'node:stream';
import { messageOf } from '@manta/base';
import type { Attempt, AttemptLimits, Call, Reply } from './call.ts';
import { type Choice, chooseEndpoint } from './choose-endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { answerOf, filterRequest, filterResponse } from './filters.ts';
import { setForwarded, type Trust } from './forwarded.ts';
import { endToEnd, headerOf, removeHeader } from './headers.ts';
import type { RouteMatch, LiveRule } from './live-table.ts';
import type { RequestMatch } from './route-table.ts';
import { refuse } from './refusals.ts';
import type { MatchableRequest } from './match.ts';

/** What forwarding needs of the proxy. */
export interface ForwardContext {
  /** Called for each attempt, so that a retry uses the newest route table. */
  find(host: string, request: MatchableRequest): RouteMatch;
  readonly random: () => number;
  readonly limits: AttemptLimits;
  /** How many endpoints a request may be offered to. */
  readonly maxAttempts: number;
  readonly observe: Observer;
  /** Trusted proxies, whose forwarding headers are kept. */
  readonly trust: Trust;
}

/** Hears how things go. */
export interface Observer {
  answered(backend: string, status: number): void;
  /** A request is retried at another endpoint because this one failed. */
  retried(backend: string, why: string): void;
  /** From now on these are the backends of the table. Requests may still be under way at former ones. */
  serves?(backends: ReadonlySet<string>): void;
}

/** Those that may be sent twice: asking again changes nothing. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Has a request answered: by a backend of its rule, or by us where none can. */
export function forward(call: Call, context: ForwardContext): void {
  new Forwarding(call, context).start();
}

class Forwarding {
  readonly #call: Call;
  readonly #context: ForwardContext;
  readonly #tried = new Set<Endpoint>();
  #attempts = 0;
  #cancel: (() => void) | undefined;
  #isOver = false;

  constructor(call: Call, context: ForwardContext) {
    this.#call = call;
    this.#context = context;
  }

  start(): void {
    this.#call.onGone(() => {
      this.#isOver = true;
      this.#cancel?.();
    });
    this.#try('');
  }

  /** Offers the request to the next endpoint; `why` is what the last one did to it. */
  #try(why: string): void {
    const call = this.#call;
    const found = this.#context.find(call.host, call);
    if (found.kind === 'none') return this.#refuse(found.status ?? 404, found.why);
    const { rule, match } = found;
    const own = answerOf(rule.filters, call, match);
    if (own !== undefined) return this.#refuse(own.status, own.why, own.location);
    const choice = chooseEndpoint(rule, this.#tried, this.#context.random);
    if (choice !== undefined) return this.#send(rule, match, choice);
    if (this.#attempts > 0) return this.#refuse(502, `no endpoint could be reached: ${why}`);
    this.#refuse(503, explainAbsence(rule));
  }

  #send(rule: LiveRule, match: RequestMatch, { backend, endpoint }: Choice): void {
    const call = this.#call;
    const headers = endToEnd(call.headers);
    removeHeader(headers, 'host');
    setForwarded(headers, call, this.#context.trust(call.remoteAddress));
    const rewritten = filterRequest(rule.filters, call, match, headers);
    const { method, body, hasBody } = call;
    const limits =
      rule.timeoutMs === undefined ? this.#context.limits : { ...this.#context.limits, answerMs: rule.timeoutMs };
    this.#tried.add(endpoint);
    this.#attempts += 1;
    const finished = endpoint.begin();
    const cancel = endpoint.send({ method, body, hasBody, headers, ...rewritten }, limits, (attempt) => {
      if (attempt.kind === 'reply') this.#copy(attempt.reply, rule, backend.key, finished);
      else {
        finished();
        if (attempt.kind === 'broken' && attempt.wasReused) this.#tried.delete(endpoint);
        this.#failed(attempt, backend.key, limits);
      }
    });
    this.#cancel = () => {
      finished();
      cancel();
    };
    if (this.#isOver) this.#cancel();
  }

  #failed(attempt: Exclude<Attempt, { kind: 'reply' }>, backend: string, { answerMs }: AttemptLimits): void {
    if (this.#isOver) return;
    if (attempt.kind === 'late') return this.#refuse(504, `${backend} did not answer within ${answerMs} ms`);
    const { method, hasBody } = this.#call;
    const isWhole = !hasBody || !this.#call.body.readableDidRead;
    const mayRepeat = isWhole && (attempt.kind === 'unreached' || (IDEMPOTENT.has(method) && !hasBody));
    if (mayRepeat && this.#attempts < this.#context.maxAttempts) {
      this.#context.observe.retried(backend, attempt.why);
      this.#try(attempt.why);
      return;
    }
    const what = attempt.kind === 'broken' ? 'broke off without an answer' : 'could not be reached';
    this.#refuse(502, `${backend} ${what}: ${attempt.why}`);
  }

  #copy(reply: Reply, rule: LiveRule, backend: string, finished: () => void): void {
    const call = this.#call;
    const headers = endToEnd(reply.headers);
    filterResponse(rule.filters, headers);
    this.#context.observe.answered(backend, reply.status);
    const isComplete = reply.isComplete || !mayHaveBody(call.method, reply);
    let sink: Writable | undefined;
    try {
      sink = call.answer({ status: reply.status, headers, isComplete });
    } catch (error) {
      reply.copyTo(undefined, finished);
      const why = messageOf(error);
      refuse(call, 502, `${backend} gave an answer that cannot be passed on: ${why}`);
      return;
    }
    reply.copyTo(sink, (isWhole) => {
      finished();
      if (sink === undefined) return;
      if (isWhole) call.end(reply.trailers());
      else if (!this.#isOver) call.cut();
    });
  }

  #refuse(status: number, why: string, location?: string): void {
    this.#context.observe.answered('', status);
    const wait = status === 503 ? ['retry-after', '1'] : [];
    refuse(this.#call, status, why, location === undefined ? wait : ['location', location]);
  }
}

function mayHaveBody(method: string, { status, headers }: Reply): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304 && headerOf(headers, 'content-length') !== '0';
}

/** Why no endpoint can respond. */
function explainAbsence({ backends }: LiveRule): string {
  const weighted = backends.filter(({ weight }) => weight > 0);
  if (backends.length === 0) return 'the route names no backend';
  if (weighted.length === 0) return 'every backend of the route has weight 0';
  return weighted
    .map(({ key, problem }) => `${key} has no ready endpoint${problem === undefined ? '' : `: ${problem}`}`)
    .join('; ');
}
