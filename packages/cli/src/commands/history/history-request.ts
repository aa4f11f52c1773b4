import { ApiError } from '@manta/kube';
import type { Status } from '@manta/kube';
import { CliError } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import { RAY_TYPES, type RayKind } from '../../target.ts';

const ROOT = '/apis/history.manta.dev/v1alpha1';

export interface HistoryPath {
  readonly kind: RayKind;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly name?: string;
  readonly subresource?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** Asks the history that the API server offers. Rejects with a line that says so if there is none. */
export async function askHistory(call: Invocation, path: HistoryPath): Promise<string> {
  const transport = await call.transport();
  const url = urlOf(path);
  const { status: code, body } = await transport.send({
    method: 'GET',
    path: url,
    headers: { accept: 'application/json, text/plain' },
    signal: call.world.signal,
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (code === 200) return text;
  const status = statusIn(text);
  if (code === 404 && status === undefined)
    throw new CliError('no history is kept here. `manta up` records it unless --no-history is given.');
  throw new ApiError({ method: 'GET', path: url }, code, status?.message ?? `the history answered ${code}`, status);
}

function urlOf({ kind, namespace, name, subresource, query = {} }: HistoryPath): string {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  const part = subresource === undefined ? '' : `/${subresource}`;
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) params.set(key, value);
  const search = params.size === 0 ? '' : `?${params.toString()}`;
  return `${ROOT}${scope}/${RAY_TYPES[kind].plural}${object}${part}${search}`;
}

function statusIn(text: string): Status | undefined {
  if (!text.startsWith('{')) return undefined;
  const value: unknown = JSON.parse(text);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an API server answers errors with a Status
  return typeof value === 'object' && value !== null && 'message' in value ? (value as Status) : undefined;
}
