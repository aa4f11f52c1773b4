import { RAY_LIMITS } from '@manta/base';
import type { AnswerLedger } from './answer-ledger.ts';
import { type Call, callError, callHead, type CallWorld, parseAnswer, shown, statusError } from './call-head.ts';
import type { RayHead } from './head.ts';
import type { HeadAnswer } from './head-answer.ts';
import { isJsonObject, type JsonObject } from './json-fields.ts';
import { isKubernetesStatus } from './kubernetes-status.ts';

/** Where calls go, and their bounds. */
export interface CallTarget extends CallWorld {
  readonly head: Pick<RayHead, 'url' | 'token'>;
  readonly questionTimeoutMs: number;
  readonly commandTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Remembers the last answer to the one question that this target is used for; absent: every answer is parsed. */
  readonly ledger?: AnswerLedger | undefined;
}

/** The questions that have a bound of their own. */
type Bounded = keyof typeof RAY_LIMITS.answerBytes;

/** What the parts of the client share: one question or command to one head. */
export class HeadCalls {
  readonly #target: CallTarget;

  constructor(target: CallTarget) {
    this.#target = target;
  }

  /** A call that changes nothing. */
  question(name: string, kind: Bounded, path: string, bounds: Partial<Pick<Call, 'timeoutMs' | 'url'>> = {}): Call {
    const { questionTimeoutMs: timeoutMs } = this.#target;
    return { ...this.#call(name, 'GET', path), maxBytes: RAY_LIMITS.answerBytes[kind], timeoutMs, ...bounds };
  }

  /** A call that changes something. */
  command(name: string, method: Call['method'], path: string, body?: unknown): Call {
    const { commandTimeoutMs: timeoutMs } = this.#target;
    return { ...this.#call(name, method, path), maxBytes: RAY_LIMITS.answerBytes.command, timeoutMs, body };
  }

  /** The answer, whatever its status. */
  async answer(call: Call): Promise<HeadAnswer> {
    const { ledger } = this.#target;
    // What an answer that is refused unread may have cost.
    if (ledger !== undefined) ledger.cost = { bytesRead: call.maxBytes, bytesParsed: 0 };
    return await callHead(this.#target, call);
  }

  /** What `read` makes of the JSON of an answer with a good status. If the answer equals the last one, the last value is returned as it is. */
  async json<T>(call: Call, read: (reading: Reading) => T): Promise<T> {
    return this.#read(call, await this.answer(call), read);
  }

  /** The same, and undefined for a 404. */
  async jsonOrAbsent<T>(call: Call, read: (reading: Reading) => T): Promise<T | undefined> {
    const answer = await this.answer(call);
    // An API server in between says in the same way that it does not find the head.
    if (answer.status === 404 && !isKubernetesStatus(answer.text)) return undefined;
    return this.#read(call, answer, read);
  }

  #read<T>(call: Call, answer: HeadAnswer, read: (reading: Reading) => T): T {
    if (!isGood(answer.status)) throw statusError(call, answer);
    const { ledger } = this.#target;
    const digest = ledger === undefined ? '' : answer.digest;
    // A ledger serves one question: what it remembers was made by the same `read`.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (ledger?.last !== undefined && ledger.last.digest === digest) return ledger.last.value as T;
    if (ledger !== undefined) ledger.cost = { bytesRead: answer.bytes.length, bytesParsed: answer.bytes.length };
    const mayKeepConfig = ledger?.mayKeep(answer.bytes.length) ?? true;
    const value = read({ call, json: parseAnswer(call, answer), answer, mayKeepConfig });
    if (ledger !== undefined) ledger.last = { digest, value };
    return value;
  }

  #call(name: string, method: Call['method'], path: string): Omit<Call, 'timeoutMs' | 'maxBytes'> {
    const { head, signal } = this.#target;
    return { name, method, url: `${head.url}${path}`, token: head.token, signal };
  }
}

/** A parsed answer, and what an error about it has to name. */
export interface Reading {
  readonly call: Call;
  readonly json: unknown;
  readonly answer: HeadAnswer;
  /** Whether there is room for the deployed configurations that the answer repeats. */
  readonly mayKeepConfig: boolean;
}

/** Whether a status says that it went well. */
export function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The answer as a JSON object, else an error that says what is missing. */
export function expectObject(reading: Reading): JsonObject {
  if (isJsonObject(reading.json)) return reading.json;
  throw unexpected(reading, 'is not a JSON object');
}

/** The error for JSON that does not match Ray's API; `problem` completes the sentence "answered with JSON that". */
export function unexpected({ call, answer }: Reading, problem: string): Error {
  const body = shown(answer.text, 200);
  return callError(call, `answered with JSON that ${problem}: ${body}`, { failure: 'unreadable', body });
}

/** The error of an answer that lists more of something than is read. */
export function tooMany({ call, answer }: Reading, what: string, count: number, limit: number): Error {
  const problem = `answered with ${count} ${what}; at most ${limit} are read`;
  return callError(call, problem, { failure: 'too-big', status: answer.status });
}
