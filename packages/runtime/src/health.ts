import { messageOf } from '@manta/base';
import type { HttpAnswer, HttpHandler } from './http-server.ts';

/** What a check found. A note on a passing check is shown in the verbose answer, e.g. which features are off. */
export type CheckResult =
  | { readonly isOk: true; readonly note?: string | undefined }
  | { readonly isOk: false; readonly reason: string };

/** Looks at state that is at hand and says how it is; a check that throws has failed. */
export type HealthCheck = () => CheckResult;

/** `healthz`: restart me if this fails. `readyz`: don't count on me yet. */
export type Probe = 'healthz' | 'readyz';

export interface Health {
  /** Registers a check under a name of its own; the same name again replaces it. */
  addCheck(probe: Probe, name: string, check: HealthCheck): void;
  readonly handle: HttpHandler;
}

const ping: HealthCheck = () => ({ isOk: true });

/**
 * `/healthz` and `/readyz` in Kubernetes' format: `ok`, or with `?verbose` (and always on failure) a line a check; `?exclude=<name>`
 * leaves one out; `/readyz/<name>` asks for one alone. Each probe starts with the check `ping`, which always passes.
 */
export function createHealth(): Health {
  const probes: Readonly<Record<Probe, Map<string, HealthCheck>>> = {
    healthz: new Map([['ping', ping]]),
    readyz: new Map([['ping', ping]]),
  };
  return {
    addCheck: (probe, name, check) => void probes[probe].set(name, check),
    handle({ path, query }) {
      const [, name, only, ...rest] = path.split('/');
      if ((name !== 'healthz' && name !== 'readyz') || rest.length > 0) return undefined;
      if (only === undefined || only === '') return askAll(name, probes[name], query);
      const check = probes[name].get(only);
      return check === undefined ? undefined : askOne(check);
    },
  };
}

function askOne(check: HealthCheck): HttpAnswer {
  const result = run(check);
  return result.isOk ? { status: 200, body: 'ok' } : { status: 500, body: `internal server error: ${result.reason}\n` };
}

function askAll(probe: Probe, checks: ReadonlyMap<string, HealthCheck>, query: URLSearchParams): HttpAnswer {
  const excluded = new Set(query.getAll('exclude'));
  const lines: string[] = [];
  let hasFailed = false;
  for (const [name, check] of checks) {
    if (excluded.delete(name)) {
      lines.push(`[+]${name} excluded: ok`);
      continue;
    }
    const result = run(check);
    lines.push(describe(name, result));
    hasFailed ||= !result.isOk;
  }
  if (excluded.size > 0) {
    const names = [...excluded].map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  if (hasFailed) return { status: 500, body: `${lines.join('\n')}\n${probe} check failed\n` };
  return { status: 200, body: query.has('verbose') ? `${lines.join('\n')}\n${probe} check passed\n` : 'ok' };
}

function describe(name: string, result: CheckResult): string {
  if (!result.isOk) return `[-]${name} failed: ${oneLine(result.reason)}`;
  return result.note === undefined ? `[+]${name} ok` : `[+]${name} ok: ${oneLine(result.note)}`;
}

function run(check: HealthCheck): CheckResult {
  try {
    return check();
  } catch (error) {
    return { isOk: false, reason: messageOf(error) };
  }
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, '; ');
}
