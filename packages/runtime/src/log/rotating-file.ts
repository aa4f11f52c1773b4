import { closeSync, existsSync, fstatSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { makeFolder, messageOf } from '@manta/base';
import type { Clock } from '@manta/kube';
import type { WriteTarget } from './background-writer.ts';

export interface RotatingFileOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly maxBytes?: number;
  readonly maxBackups?: number;
  readonly maxAgeMs?: number;
}

const DEFAULTS = { maxBytes: 500 * 1024 * 1024, maxBackups: 10, maxAgeMs: 30 * 24 * 3600 * 1000 };
const STAMP = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

/**
 * A log file that is set aside when it would grow past 500 MB, as `name-<time>.ext`; the ten newest of the last 30 days are kept. An
 * existing file is continued. Throws when it cannot be opened at the start; later trouble keeps the current file.
 */
export function createRotatingFile(options: RotatingFileOptions): WriteTarget {
  const { path, clock, maxBytes, maxBackups, maxAgeMs } = { ...DEFAULTS, ...options };
  let file = open(path);
  // Several sinks may share the file: a write of another one may still be under way, so the file stays open for one more rotation. Once
  // closed, its number may belong to something else.
  let former: number | undefined;
  prune(path, clock.now(), maxBackups, maxAgeMs);

  return {
    fdFor(bytes) {
      if (file.size > 0 && file.size + bytes > maxBytes) {
        const next = rotate(path, file, clock.now());
        if (next.fd !== file.fd) {
          if (former !== undefined) closeSync(former);
          former = file.fd;
        }
        file = next;
        prune(path, clock.now(), maxBackups, maxAgeMs);
      }
      file.size += bytes;
      return file.fd;
    },
  };
}

interface OpenFile {
  readonly fd: number;
  size: number;
}

function open(path: string): OpenFile {
  try {
    if (!existsSync(dirname(path))) makeFolder(dirname(path));
    const fd = openSync(path, 'a', 0o600);
    return { fd, size: fstatSync(fd).size };
  } catch (error) {
    // Node's message ends with the call and the path once more.
    const reason = messageOf(error).replace(/, \w+ '.*'$/, '');
    throw new Error(`the log file ${path} cannot be opened: ${reason}`, { cause: error });
  }
}

function rotate(path: string, current: OpenFile, nowMs: number): OpenFile {
  try {
    renameSync(path, backupPath(path, nowMs));
    return open(path);
  } catch {
    // Restart the count, so that the next attempt comes after another full file, not with every line.
    return { fd: current.fd, size: 0 };
  }
}

function backupPath(path: string, nowMs: number): string {
  const extension = extname(path);
  const stamp = new Date(nowMs).toISOString().slice(0, -1).replaceAll(':', '-');
  return join(dirname(path), `${basename(path, extension)}-${stamp}${extension}`);
}

function prune(path: string, nowMs: number, maxBackups: number, maxAgeMs: number): void {
  const backups = findBackups(path).toSorted((a, b) => b.timeMs - a.timeMs);
  for (const [at, backup] of backups.entries()) {
    if (at >= maxBackups || nowMs - backup.timeMs > maxAgeMs) rmSync(backup.path, { force: true });
  }
}

function findBackups(path: string): readonly { path: string; timeMs: number }[] {
  const extension = extname(path);
  const prefix = `${basename(path, extension)}-`;
  const found = [];
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(prefix) || !name.endsWith(extension)) continue;
    const stamp = STAMP.exec(name.slice(prefix.length, name.length - extension.length));
    if (stamp === null) continue;
    const timeMs = Date.parse(`${stamp[1]}${stamp[2]}:${stamp[3]}:${stamp[4]}Z`);
    if (!Number.isNaN(timeMs)) found.push({ path: join(dirname(path), name), timeMs });
  }
  return found;
}
