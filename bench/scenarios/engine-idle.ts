import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measurement, Scenario } from '../scenario.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';

const MANTA = resolve(import.meta.dirname, '../../bin/manta');
const SETTLE_MS = 15_000;
const WATCH_MS = 60_000;
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** What `manta up` costs while nobody uses it: the API, the operator, the router, the pod supervisor, no cluster. */
export const engineIdle: Scenario = {
  name: 'engine-idle',
  what: 'manta up without clusters, left alone for a minute: memory and CPU of all its processes',
  async run({ scale = 1 } = {}): Promise<Measurement> {
    const { rssMiB, cpuPercent, processes } = await withTemporaryFolder((folder) => measure(folder, WATCH_MS * scale));
    return {
      summary: `${rssMiB.toFixed(0)} MiB in ${processes} processes, ${cpuPercent.toFixed(2)} % of a core`,
      figures: { rssMiB, cpuPercent, processes },
      budgets: [
        { what: 'less than 150 MiB', isKept: rssMiB < 150 },
        { what: 'less than 1 % of a core', isKept: cpuPercent < 1 },
      ],
    };
  },
};

async function measure(folder: string, watchMs: number) {
  const child = spawn(
    MANTA,
    ['up', '--port=0', '--router-port=0', '--no-console', `--data-dir=${join(folder, 'data')}`],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  try {
    await new Promise((done) => child.stdout.once('data', done));
    child.stdout.resume();
    await sleep(SETTLE_MS);
    const before = family(child.pid ?? 0);
    await sleep(watchMs);
    const after = family(child.pid ?? 0);
    const spent = sum(after.map(({ ticks }) => ticks)) - sum(before.map(({ ticks }) => ticks));
    return {
      rssMiB: (sum(after.map(({ pages }) => pages)) * PAGE_BYTES) / 2 ** 20,
      cpuPercent: (spent / TICKS_PER_SECOND / (watchMs / 1000)) * 100,
      processes: after.length,
    };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

interface Use {
  readonly ticks: number;
  readonly pages: number;
}

/** A process and all that it has started. */
function family(root: number): readonly Use[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? read(Number(name)) : []));
  const found = new Set([root]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => found.has(pid));
}

function read(pid: number): readonly (Use & { readonly pid: number; readonly parent: number })[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, pages = 0] = [1, 11, 12, 21].map((index) => fields[index]);
    return [{ pid, parent, ticks: user + system, pages }];
  } catch {
    return [];
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
