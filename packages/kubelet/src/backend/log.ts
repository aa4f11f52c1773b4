import { existsSync } from 'node:fs';
import { badRequest, isGone, type PodCall } from '@manta/apiserver';
import type { ContainerRunner } from '../pods/container-runner.ts';
import { followOutput, readOutput, type Sink } from './follow-output.ts';
import { lastLinesFrom, lineFrom } from './line-offsets.ts';
import { withTimes } from './with-times.ts';

type Speaker = Pick<ContainerRunner, 'container' | 'output' | 'process' | 'times' | 'view'>;

/** Sends a container's output, and with `follow` its new output until it ends. */
export async function serveLog(container: Speaker, { query, response, pod }: PodCall, nowMs: number): Promise<void> {
  const isPrevious = isOn(query, 'previous');
  const path = container.output(isPrevious);
  if (path === '' || !existsSync(path)) throw badRequest(whyNothing(container, pod.metadata.name, isPrevious));
  response.writeHead(200, { 'content-type': 'text/plain' });
  const from = startOf(container, path, query, nowMs);
  const over = new AbortController();
  response.on('close', () => over.abort());
  const limited = upTo(numberOf(query, 'limitBytes'), responseSink(response), () => over.abort());
  const times = container.times(isPrevious);
  const isTimed = isOn(query, 'timestamps') && times !== undefined;
  const sink = isTimed ? withTimes(from, (offset) => times.at(offset), limited) : limited;
  try {
    const kept = () => times?.first ?? 0;
    const at = await readOutput(path, from, over.signal, sink, kept);
    const isFollowed = isOn(query, 'follow') && !isPrevious;
    if (isFollowed && at !== undefined) await followOutput(container, path, at, over.signal, sink, kept);
  } finally {
    response.end();
  }
}

function whyNothing(container: Speaker, pod: string, isPrevious: boolean): string {
  const { name } = container.container;
  if (isPrevious) return `previous terminated container "${name}" in pod "${pod}" not found`;
  const { moment } = container.view();
  const reason = moment.state === 'waiting' ? moment.reason : 'ContainerCreating';
  const words = reason === 'ErrImagePull' ? "image can't be pulled" : reason;
  return `container "${name}" in pod "${pod}" is waiting to start: ${words}`;
}

/** Where what is asked for begins: at the last lines, or at the first that is not too old, whichever comes later. */
function startOf(container: Speaker, path: string, query: URLSearchParams, nowMs: number): number {
  const times = container.times(isOn(query, 'previous'));
  const first = times?.first ?? 0;
  const lines = numberOf(query, 'tailLines');
  const seconds = numberOf(query, 'sinceSeconds');
  const time = query.get('sinceTime');
  const sinceMs = seconds !== undefined ? nowMs - seconds * 1000 : time === null ? undefined : Date.parse(time);
  const tail = Math.max(lineFrom(path, first), lines === undefined ? 0 : lastLinesFrom(path, lines, first));
  if (sinceMs === undefined || Number.isNaN(sinceMs)) return tail;
  return Math.max(tail, lineFrom(path, Math.max(first, times?.since(sinceMs) ?? 0)));
}

function responseSink(response: PodCall['response']): Sink {
  return async (chunk) => {
    if (isGone(response) || response.write(chunk) || isGone(response)) return;
    await new Promise<void>((resolve) => onceFree(response, resolve));
  };
}

/** Hands on so many bytes and no more. */
function upTo(limit: number | undefined, sink: Sink, isFull: () => void): Sink {
  if (limit === undefined) return sink;
  let left = limit;
  return async (chunk) => {
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (part.length > 0) await sink(part);
    if (left === 0) isFull();
  };
}

function isOn(query: URLSearchParams, key: string): boolean {
  return ['1', 't', 'true'].includes(query.get(key)?.toLowerCase() ?? '');
}

function numberOf(query: URLSearchParams, key: string): number | undefined {
  const text = query.get(key);
  return text === null || text === '' ? undefined : Number(text);
}

function onceFree(response: PodCall['response'], resolve: () => void): void {
  const done = () => {
    response.off('drain', done);
    response.off('close', done);
    resolve();
  };
  response.on('drain', done);
  response.on('close', done);
}
