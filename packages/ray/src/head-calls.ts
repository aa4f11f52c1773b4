import {
  type Call,
  callError,
  callHead,
  type CallWorld,
  type HeadAnswer,
  parseAnswer,
  shown,
  statusError,
} from './call-head.ts';
import type { RayHead } from './head.ts';
import { isJsonObject, type JsonObject } from './json-fields.ts';
import { isKubernetesStatus } from './kubernetes-status.ts';

const MEBIBYTE = 1024 * 1024;

/** Where calls go, and their bounds. */
export interface CallTarget extends CallWorld {
  readonly head: Pick<RayHead, 'url' | 'token'>;
  readonly questionTimeoutMs: number;
  readonly commandTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What the parts of the client share: one question or command to one head. */
export class HeadCalls {
  readonly #target: CallTarget;

  constructor(target: CallTarget) {
    this.#target = target;
  }

  /** A call that changes nothing. */
  question(name: string, path: string, bounds: Partial<Pick<Call, 'maxBytes' | 'timeoutMs' | 'url'>> = {}): Call {
    return { ...this.#call(name, 'GET', path), timeoutMs: this.#target.questionTimeoutMs, ...bounds };
  }

  /** A call that changes something. */
  command(name: string, method: Call['method'], path: string, body?: unknown): Call {
    return { ...this.#call(name, method, path), timeoutMs: this.#target.commandTimeoutMs, body };
  }

  /** The answer, whatever its status. */
  answer(call: Call): Promise<HeadAnswer> {
    return callHead(this.#target, call);
  }

  /** The JSON of an answer with a good status; undefined for a 404. */
  async jsonOrAbsent(call: Call): Promise<unknown> {
    const answer = await this.answer(call);
    // An API server in between says in the same way that it does not find the head.
    if (answer.status === 404 && !isKubernetesStatus(answer.text)) return undefined;
    if (!isGood(answer.status)) throw statusError(call, answer);
    return parseAnswer(call, answer);
  }

  /** The JSON of an answer with a good status. */
  async json(call: Call): Promise<unknown> {
    const answer = await this.answer(call);
    if (!isGood(answer.status)) throw statusError(call, answer);
    return parseAnswer(call, answer);
  }

  #call(name: string, method: Call['method'], path: string): Omit<Call, 'timeoutMs'> {
    const { head, signal } = this.#target;
    return { name, method, url: `${head.url}${path}`, token: head.token, maxBytes: 16 * MEBIBYTE, signal };
  }
}

/** Whether a status says that it went well. */
export function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The answer as a JSON object, else an error that says what is missing. */
export function expectObject(call: Call, value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw unexpected(call, value, 'is not a JSON object');
}

/** The error of an answer that is JSON, but not what Ray's API promises; `problem` goes on from "answered with JSON that". */
export function unexpected(call: Call, value: unknown, problem: string): Error {
  const body = shown(JSON.stringify(value) ?? '', 200);
  return callError(call, `answered with JSON that ${problem}: ${body}`, { failure: 'unreadable', body });
}
