import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { startControlPlane } from '../../tests/support/control-plane.ts';
import type { Measurement, Scenario } from '../scenario.ts';

const MANTA = resolve(import.meta.dirname, '../../bin/manta');
const RUNS = 5;
const IDLE_MS = 5_000;

/** How long nobody is in charge after an operator has started, and what it takes while nothing happens. */
export const start: Scenario = {
  name: 'start',
  what: 'the operator on an empty real API server: exec to controllers working, and memory at rest',
  async run(): Promise<Measurement> {
    const plane = await startControlPlane();
    try {
      const env = { ...process.env, KUBECONFIG: plane.adminKubeconfig.path };
      await once(['crds', 'apply'], env);
      const times: number[] = [];
      let rssMiB = 0;
      for (let i = 0; i < RUNS; i += 1) {
        const run = await measure(env, i === RUNS - 1 ? IDLE_MS : 0);
        times.push(run.ms);
        rssMiB = run.rssMiB;
      }
      const median = times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
      return {
        summary: `working after ${median.toFixed(0)} ms (median of ${RUNS}), ${rssMiB.toFixed(0)} MiB at rest`,
        figures: { medianMs: median, idleRssMiB: rssMiB },
        budgets: [
          { what: 'working within 1 s', isKept: median < 1_000 },
          { what: 'under 75 MiB at rest', isKept: rssMiB < 75 },
        ],
      };
    } finally {
      await plane.stop();
    }
  },
};

async function measure(
  env: NodeJS.ProcessEnv,
  idleMs: number,
): Promise<{ readonly ms: number; readonly rssMiB: number }> {
  const started = performance.now();
  const args = [
    'operator',
    '--enable-leader-election=false',
    '--metrics-addr=0',
    '--health-probe-bind-address=127.0.0.1:0',
  ];
  const child = spawn(MANTA, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const address = await new Promise<string>((done, fail) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('"msg":"Serving"')) done(JSON.parse(line).bindAddress);
    });
    child.once('exit', () => fail(new Error('the operator did not start')));
  });
  while (!/^\[\+\]controllers ok$/m.test(await readyz(address))) await pause(5);
  const ms = performance.now() - started;
  await pause(idleMs);
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const rssMiB = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  child.kill('SIGTERM');
  await ended;
  return { ms, rssMiB };
}

async function readyz(address: string): Promise<string> {
  const answer = await fetch(`http://${address}/readyz?verbose`).catch(() => undefined);
  return (await answer?.text()) ?? '';
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}

function once(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((done, fail) => {
    spawn(MANTA, args, { env, stdio: ['ignore', 'ignore', 'inherit'] }).once('exit', (code) =>
      code === 0 ? done() : fail(new Error(`manta ${args.join(' ')} ended with status ${code}`)),
    );
  });
}
