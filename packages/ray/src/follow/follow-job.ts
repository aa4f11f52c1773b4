import { sleep } from '@manta/base';
import { RayCallError } from '../call-error.ts';
import type { RayClock } from '../clock.ts';
import { isTerminal, type JobInfo } from '../job-info.ts';
import type { RayClient } from '../ray-client.ts';
import { JobOutput } from './job-output.ts';
import { within } from './within.ts';

/**
 * Passes on what a job prints from its beginning, until the head says that there will be no more. Resolves then; rejects when the stream
 * breaks or is given up.
 */
export type TailLogs = (id: string, onText: (text: string) => void, giveUp: AbortSignal) => Promise<void>;

/** What following a job needs. */
export interface Follower {
  readonly client: Pick<RayClient, 'getJob' | 'getJobLogs'>;
  readonly tail: TailLogs;
  readonly clock: RayClock;
  readonly print: (text: string) => void;
  /** Ends the following when aborted; absent: only the job's end does. */
  readonly signal?: AbortSignal | undefined;
}

/** Outcome of a followed job, as Ray reports it. */
export type JobEnd =
  | { readonly kind: 'ended'; readonly job: JobInfo }
  /** The head no longer knows the job: it is another head, or the job was deleted. */
  | { readonly kind: 'lost' }
  /** The head has not answered for a long time. */
  | { readonly kind: 'silent'; readonly error: Error };

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 10_000;
/** How often a job is asked about while its stream seems to be well: a connection can be dead without telling. */
const CHECK_MS = 15_000;
/** What a stream may take to bring the rest when the job has ended. */
const REST_MS = 5_000;
/** A head that is replaced comes back within minutes, or never. */
export const PATIENCE_MS = 5 * 60_000;

/**
 * Follows a job to its end. A broken output stream is reopened; only Ray's job status decides the outcome. Rejects with the
 * signal's reason when it is aborted.
 */
export async function followJob(id: string, follower: Follower): Promise<JobEnd> {
  const { client, clock, signal } = follower;
  const output = new JobOutput(follower.print);
  let silentSince: number | undefined;
  let delayMs = FIRST_DELAY_MS;
  for (;;) {
    const before = output.printed;
    await tailOnce(id, follower, output);
    signal?.throwIfAborted();
    const answer = await client.getJob(id).catch(failureOf);
    signal?.throwIfAborted();
    if (!(answer instanceof Error)) {
      if (answer === undefined) return { kind: 'lost' };
      if (isTerminal(answer.status)) {
        await catchUp(id, client, output);
        return { kind: 'ended', job: answer };
      }
      silentSince = undefined;
    } else {
      silentSince ??= clock.now();
      if (clock.now() - silentSince >= PATIENCE_MS) return { kind: 'silent', error: answer };
    }
    delayMs = output.printed > before ? FIRST_DELAY_MS : Math.min(delayMs * 2, LONGEST_DELAY_MS);
    await sleep(clock, delayMs, signal);
  }
}

/** Follows the stream until it ends, breaks, or has nothing more to give. */
async function tailOnce(id: string, { client, tail, clock, signal }: Follower, output: JobOutput): Promise<void> {
  const giveUp = new AbortController();
  output.startOver();
  const isOver = () => true;
  const ends = signal === undefined ? giveUp.signal : AbortSignal.any([giveUp.signal, signal]);
  const stream = tail(id, (text) => output.push(text), ends).then(isOver, isOver);
  for (;;) {
    if (await within(clock, CHECK_MS, stream)) return;
    const job = await client.getJob(id).catch(failureOf);
    if (job !== undefined && !(job instanceof Error) && !isTerminal(job.status)) continue;
    await within(clock, REST_MS, stream);
    giveUp.abort();
    return;
  }
}

/** What the stream did not bring: it may have broken, and of a job that ends quickly it brings nothing even when it ends in good order. */
async function catchUp(id: string, client: Follower['client'], output: JobOutput): Promise<void> {
  const logs = await client.getJobLogs(id).catch(failureOf);
  if (typeof logs !== 'string') return;
  output.startOver();
  output.push(logs);
}

function failureOf(error: unknown): Error {
  if (error instanceof RayCallError) return error;
  throw error;
}
