import { existsSync, readFileSync } from 'node:fs';
import { badRequest } from '../../server/errors.ts';
import { isGone } from '../../server/http/http-request.ts';
import type { PodCall } from '../../server/subresources/pod-backend.ts';
import type { ContainerRunner } from '../kubelet/container-runner.ts';
import { followOutput, readOutput } from './follow-output.ts';

/** Sends what a container has said, and with `follow` what it goes on to say until it ends. */
export async function serveLog(
  container: Pick<ContainerRunner, 'container' | 'output' | 'process' | 'view'>,
  { query, response, pod }: PodCall,
): Promise<void> {
  const isPrevious = query.get('previous') === 'true';
  const path = container.output(isPrevious);
  const { name } = container.container;
  if (path === '' || !existsSync(path)) {
    if (isPrevious) throw badRequest(`previous terminated container "${name}" in pod "${pod.metadata.name}" not found`);
    const { moment } = container.view();
    const reason = moment.state === 'waiting' ? moment.reason : 'ContainerCreating';
    throw badRequest(`container "${name}" in pod "${pod.metadata.name}" is waiting to start: ${reason}`);
  }
  response.writeHead(200, { 'content-type': 'text/plain' });
  const from = startOf(path, query.get('tailLines'));
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const sink = async (chunk: Buffer) => {
    if (isGone(response) || response.write(chunk) || isGone(response)) return;
    await new Promise<void>((resolve) => onceFree(response, resolve));
  };
  try {
    const at = await readOutput(path, from, limitOf(query), sink);
    const isFollowed = query.get('follow') === 'true' && !isPrevious;
    if (isFollowed && at !== undefined) await followOutput(container, path, at, gone.signal, sink);
  } finally {
    response.end();
  }
}

function limitOf(query: URLSearchParams): number | undefined {
  const text = query.get('limitBytes');
  return text === null ? undefined : Number(text);
}

/** Where the last lines begin. */
function startOf(path: string, tailLines: string | null): number {
  if (tailLines === null) return 0;
  const bytes = readFileSync(path);
  let at = bytes.length;
  if (bytes[at - 1] === 10) at -= 1;
  for (let left = Number(tailLines); left > 0 && at > 0; left--) {
    const before = bytes.lastIndexOf(10, at - 1);
    if (before < 0) return 0;
    at = before;
    if (left === 1) return before + 1;
  }
  return Number(tailLines) === 0 ? bytes.length : 0;
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
