import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '@manta/apiserver';
import { processMark } from './process-mark.ts';
import { writeWhole } from './write-whole.ts';

/** What a running engine leaves in its data directory, for those who look for it. */
export interface EngineRecord {
  readonly pid: number;
  readonly url: string;
  readonly kubeconfig: string;
  /** ISO time. */
  readonly startedAt: string;
  /** How it runs pods, in words; absent where it runs none. */
  readonly pods?: string;
  /** The address of the router; absent if none runs. */
  readonly router?: string;
  /** What the node advertises, in words; absent where there is none. */
  readonly node?: string;
  /** The file with the log. */
  readonly log?: string;
  /** The Ray dashboards of all clusters, by `namespace/name`. */
  readonly dashboards?: readonly { readonly cluster: string; readonly url: string }[];
  /** A link that opens the web console and logs in once; absent where there is no console. */
  readonly console?: string;
}

/** Says that this process serves the data directory. */
export function writeEngineRecord(dataDir: string, record: Omit<EngineRecord, 'pid'>): void {
  const content = { ...record, pid: process.pid, mark: processMark(process.pid) };
  writeWhole(fileOf(dataDir), `${JSON.stringify(content, null, 2)}\n`);
}

/** Takes that back. */
export function removeEngineRecord(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true });
}

/** The engine that serves a data directory now. A killed engine leaves its record, but its process no longer exists or its id was reused. */
export function readEngineRecord(dataDir: string): EngineRecord | undefined {
  const record = readJson(fileOf(dataDir));
  const { pid, mark, url, kubeconfig, startedAt } = record;
  const isRecord =
    typeof pid === 'number' &&
    typeof url === 'string' &&
    typeof kubeconfig === 'string' &&
    typeof startedAt === 'string' &&
    typeof mark === 'string';
  if (!isRecord || processMark(pid) !== mark) return undefined;
  return {
    pid,
    url,
    kubeconfig,
    startedAt,
    ...Object.fromEntries(
      Object.entries(record).filter(([key, value]) => OPTIONAL.has(key) && typeof value === 'string'),
    ),
    ...(Array.isArray(record['dashboards']) ? { dashboards: record['dashboards'].filter(isLink) } : {}),
  };
}

const OPTIONAL: ReadonlySet<string> = new Set(['pods', 'node', 'log', 'router', 'console']);

function isLink(value: unknown): value is { readonly cluster: string; readonly url: string } {
  return isObject(value) && typeof value['cluster'] === 'string' && typeof value['url'] === 'string';
}

function readJson(path: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'engine.json');
}
