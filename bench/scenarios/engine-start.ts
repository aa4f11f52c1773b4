import { spawn } from 'node:child_process';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { startControlPlane } from '../../tests/support/control-plane.ts';
import { freePort } from '../../tests/support/free-port.ts';
import type { Measurement, Scenario } from '../scenario.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';

const MANTA = resolve(import.meta.dirname, '../../bin/manta');
const RUNS = 7;
const BUDGET_MS = 300;

interface Start {
  /** Until the API answers. */
  readonly servingMs: number;
  /** Until our CRDs are in place and the operator starts. */
  readonly readyMs: number;
}

/** How long one waits for an API: an empty directory, the same again, and the real API server with its etcd. */
export const engineStart: Scenario = {
  name: 'engine-start',
  what: 'manta up --no-pods: exec to the first answer, on a new data directory and on a used one; and the real API server',
  async run(): Promise<Measurement> {
    await version();
    const fresh: Start[] = [];
    for (let i = 0; i < RUNS; i += 1) fresh.push(await withTemporaryFolder((folder) => start(join(folder, 'data'))));
    const again = await withTemporaryFolder(async (folder) => {
      const starts: Start[] = [];
      for (let i = 0; i <= RUNS; i += 1) starts.push(await start(join(folder, 'data')));
      return starts.slice(1);
    });
    const realMs = await timeReal();
    const [cold, warm] = [median(fresh), median(again)];
    return {
      summary: `serving after ${cold.servingMs.toFixed(0)} ms, ready after ${cold.readyMs.toFixed(0)}; again ${warm.servingMs.toFixed(0)}, ${warm.readyMs.toFixed(0)} (medians of ${RUNS}); real ${realMs.toFixed(0)} ms`,
      figures: {
        servingMs: cold.servingMs,
        readyMs: cold.readyMs,
        servingAgainMs: warm.servingMs,
        readyAgainMs: warm.readyMs,
        realServingMs: realMs,
      },
      budgets: [
        { what: `serving and ready within ${BUDGET_MS} ms on a new data directory`, isKept: isWithin(cold) },
        { what: `serving and ready within ${BUDGET_MS} ms on a used one`, isKept: isWithin(warm) },
      ],
    };
  },
};

function isWithin({ servingMs, readyMs }: Start): boolean {
  return servingMs < BUDGET_MS && readyMs < BUDGET_MS;
}

function median(starts: readonly Start[]): Start {
  const middle = (of: (run: Start) => number) =>
    starts.map(of).toSorted((a, b) => a - b)[Math.floor(starts.length / 2)] ?? 0;
  return { servingMs: middle((run) => run.servingMs), readyMs: middle((run) => run.readyMs) };
}

async function start(dataDir: string): Promise<Start> {
  const port = await freePort();
  const started = performance.now();
  const child = spawn(MANTA, ['up', '--no-pods', `--port=${port}`, `--data-dir=${dataDir}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const ready = new Promise<number>((done) => child.stdout.once('data', () => done(performance.now() - started)));
  // Asking for more than a connection until there is one would take time from the program that is to start.
  while (!(await listens(port))) await new Promise((done) => setTimeout(done, 2));
  while (!(await answers(port))) await new Promise((done) => setTimeout(done, 2));
  const servingMs = performance.now() - started;
  const readyMs = await ready;
  child.kill('SIGTERM');
  await ended;
  return { servingMs, readyMs };
}

/** Makes sure that the bundle is up to date: making it is no part of a start. */
function version(): Promise<void> {
  return new Promise((done) => {
    spawn(MANTA, ['version'], { stdio: 'ignore' }).once('exit', () => done());
  });
}

function listens(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(true));
    socket.on('connect', () => socket.destroy());
    socket.on('error', () => done(false));
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const call = request({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false }, (response) => {
      response.resume();
      done(response.statusCode === 200);
    });
    call.on('error', () => done(false));
    call.end();
  });
}

async function timeReal(): Promise<number> {
  const started = performance.now();
  const plane = await startControlPlane();
  const ms = performance.now() - started;
  await plane.stop();
  return ms;
}
