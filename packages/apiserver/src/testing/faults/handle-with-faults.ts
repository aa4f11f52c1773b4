import { constants } from 'node:http2';
import { ownValue } from '@manta/base';
import type { Clock } from '@manta/kube';
import { type FaultCall, WRITES } from './call.ts';
import type { Refusal, Verdict } from './fault.ts';
import type { Switchboard } from './switchboard.ts';
import { instantWire } from './wire.ts';
import { StatusError } from '../../status/status-error.ts';
import type { Api } from '../../api.ts';
import type { Verb } from '../../requests/request.ts';
import { parsePath } from '../../requests/request-path.ts';
import { type HandlerOptions, handle } from '../../http/handler.ts';
import { HeldResponse } from './held-response.ts';
import { type HttpRequest, type HttpResponse, header, reset } from '../../http/http-request.ts';
import { flag } from '../../http/query.ts';
import { requestTarget } from '../../http/request-target.ts';
import { respondError } from '../../http/respond.ts';
import type { OpenGate } from '../../http/watch-response.ts';

/** Faults to put between the sockets and the API. */
export interface HttpFaults {
  readonly board: Switchboard;
  /** Answers reads that a `stale` fault sends to it. */
  readonly replica?: Api;
}

/** Answers requests as far as the switchboard lets it. */
export function answerWithFaults(faults: HttpFaults): typeof handle {
  return (options, request, response) => handleWithFaults(faults, options, request, response);
}

async function handleWithFaults(
  { board, replica }: HttpFaults,
  options: HandlerOptions,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const { clock } = options.api.world;
  const call = faultCallOf(request);
  const verdict = board.intercept(call);
  const { loss } = verdict;
  if (loss?.what === 'unsent') return reset(response, constants.NGHTTP2_REFUSED_STREAM);
  await pause(clock, verdict.requestDelayMs);
  if (loss?.what === 'request') return lose(response, loss);
  if (verdict.refusal !== undefined) {
    await pause(clock, verdict.answerDelayMs);
    return await respondError(response, errorOf(verdict.refusal));
  }
  const gate: OpenGate = (onCut) => board.openStream(call, { wire: instantWire(clock), onCut });
  const isElsewhere = verdict.isStale && replica !== undefined && !WRITES.includes(call.verb);
  const through = { ...options, api: isElsewhere ? replica : options.api, gate };
  await carryOut(through, request, response, verdict);
}

/** Has a request carried out; its answer may be lost or late. */
async function carryOut(
  options: HandlerOptions,
  request: HttpRequest,
  response: HttpResponse,
  { loss, answerDelayMs }: Verdict,
): Promise<void> {
  if (loss === undefined && answerDelayMs === 0) return await handle(options, request, response);
  const held = new HeldResponse(response);
  await handle(options, request, held);
  await pause(options.api.world.clock, answerDelayMs);
  if (loss === undefined) held.release();
  else lose(response, loss);
}

function lose(response: HttpResponse, { isSilent }: NonNullable<Verdict['loss']>): void {
  if (!isSilent) reset(response);
}

function pause(clock: Clock, ms: number): Promise<void> | undefined {
  if (ms <= 0) return undefined;
  return new Promise((resolve) => {
    clock.setTimer(ms, resolve);
  });
}

function errorOf({ code, reason, message, retryAfterSeconds }: Refusal): StatusError {
  return new StatusError(code, reason, message, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds });
}

const VERBS: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

function faultCallOf(request: HttpRequest): FaultCall {
  const { pathname, query: searchParams } = requestTarget(request.url);
  const [client = ''] = (header(request, 'user-agent') ?? '').split(/[/ ]/);
  const path = parsePath(pathname);
  if (path === undefined) return { client, verb: 'get', resource: pathname };
  const { plural: resource, namespace, name, subresource, isWatch } = path;
  const isStream = isWatch || (request.method === 'GET' && flag(searchParams, 'watch') === true);
  const verb = isStream ? 'watch' : (ownValue(VERBS, request.method ?? '') ?? readOrDelete(request, name !== ''));
  return { client, verb, resource, namespace, name, subresource };
}

function readOrDelete({ method }: HttpRequest, hasName: boolean): Verb {
  if (method === 'DELETE') return hasName ? 'delete' : 'deletecollection';
  return hasName ? 'get' : 'list';
}
