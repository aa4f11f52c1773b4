import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The variable that everything which runs in a pod has in its environment. */
export const MARK_VARIABLE = 'MANTA_MARK';

interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Whether the mark stands in its environment. */
  readonly isMarked: boolean;
}

const ROUNDS = 200;
const PAUSE_MS = 25;

/**
 * Ends every process that carries a mark beginning with these letters, with all that it started: children, and whatever is in a session of
 * one of them. Processes may hide their environment or leave their parent, but hardly both, and none begins a session without a parent.
 * Members of the sessions that are given end in any case.
 */
export async function endMarked(mark: string, known: Iterable<number> = []): Promise<void> {
  const sessions = new Set(known);
  for (let round = 0; round < ROUNDS; round++) {
    const found = belonging(listProcesses(mark), sessions);
    if (found.length === 0) return;
    for (const pid of found) kill(pid);
    await sleep(PAUSE_MS);
  }
}

/** Those that are marked, their descendants, and the members of their sessions, which are remembered; exported for its test. */
export function belonging(seen: readonly Seen[], sessions: Set<number>): readonly number[] {
  const found = new Set<number>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent, session, isMarked } of seen) {
      if (!isMarked && !found.has(parent) && !sessions.has(session)) continue;
      found.add(pid);
      // Only a session that it leads itself.
      if (session > 0 && (isMarked || session === pid)) sessions.add(session);
    }
  }
  found.delete(process.pid);
  return [...found];
}

function listProcesses(mark: string): readonly Seen[] {
  const wanted = `${MARK_VARIABLE}=${mark}`;
  return process.platform === 'linux' ? fromProc(wanted) : fromPs(wanted);
}

function fromProc(wanted: string): readonly Seen[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    const stat = read(`/proc/${name}/stat`);
    // The program's name comes in brackets and may hold anything.
    const [state = '', parent = '', , session = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === '' || state === 'Z') return [];
    const isMarked = `\0${read(`/proc/${name}/environ`)}`.includes(`\0${wanted}`);
    return [{ pid, parent: Number(parent), session: Number(session), isMarked }];
  });
}

/** Other systems show the environment behind the command. */
function fromPs(wanted: string): readonly Seen[] {
  const text = execFileSync('ps', ['-Aww', '-E', '-o', 'pid=,ppid=,sess=,command='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, session] = /^\s*(\d+)\s+(\d+)\s+(\w+)/.exec(line) ?? [];
    if (pid === undefined) return [];
    return [
      { pid: Number(pid), parent: Number(parent), session: Number(session) || 0, isMarked: line.includes(wanted) },
    ];
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
