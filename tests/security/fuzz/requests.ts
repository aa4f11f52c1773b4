import { deleteBody, objectBody, patchBody } from './bodies.ts';
import type { Dice } from './dice.ts';
import { SAMPLES, type Sample } from './samples.ts';
import { fieldSelector, labelSelector, name, oddText } from './texts.ts';

/** A request as it goes over either version of HTTP. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** It may be answered by a stream without an end. */
  readonly isStream: boolean;
}

export const NAMESPACES: readonly string[] = ['fuzz-0', 'fuzz-1', 'fuzz-2'];

const OTHER_PATHS: readonly string[] = [
  '/',
  '/healthz',
  '/livez/ping',
  '/readyz?verbose',
  '/version',
  '/metrics',
  '/api',
  '/apis',
  '/apis/apps',
  '/api/v1',
  '/apis/batch/v1',
  '/openapi/v3',
  '/openapi/v3/api/v1',
  '/openapi/v2',
  '/api/v1/namespaces/fuzz-0/pods/n1/proxy/a%20b?c=%zz',
  '/api/v1/watch/namespaces/fuzz-0/pods',
  '//api//v1',
  '/api/v1/../../etc/passwd',
  '*',
];

/** The next request; the same dice give the same one. */
export function fuzzRequest(dice: Dice): FuzzRequest {
  if (dice.oneIn(15)) return otherRequest(dice);
  const sample = dice.pick(SAMPLES);
  switch (dice.roll(10)) {
    case 0:
    case 1:
    case 2:
      return withBody(dice, 'POST', collection(dice, sample), objectBody(dice, sample));
    case 3:
      return withBody(dice, 'PUT', one(dice, sample), objectBody(dice, sample));
    case 4:
    case 5:
      return withBody(dice, 'PATCH', one(dice, sample), patchBody(dice, sample));
    case 6:
      return withBody(dice, 'DELETE', dice.oneIn(10) ? collection(dice, sample) : one(dice, sample), deleteBody(dice));
    default:
      return read(dice, sample);
  }
}

function read(dice: Dice, sample: Sample): FuzzRequest {
  const path = dice.oneIn(2) ? collection(dice, sample) : one(dice, sample);
  const isWatch = dice.oneIn(6);
  const watch = isWatch ? ['watch=1', 'timeoutSeconds=1'] : [];
  const method = dice.oneIn(30) ? dice.pick(['HEAD', 'OPTIONS', 'TRACE', 'CONNECTED', 'GETX']) : 'GET';
  return withBody(
    dice,
    method,
    withQuery(path, [...queryOf(dice), ...watch]),
    { type: '', bytes: Buffer.alloc(0) },
    isWatch,
  );
}

function otherRequest(dice: Dice): FuzzRequest {
  const path = dice.oneIn(2)
    ? dice.pick(OTHER_PATHS)
    : `/${encodePath(
        dice,
        Array.from({ length: dice.roll(6) }, () => oddText(dice)),
      )}`;
  return withBody(dice, dice.oneIn(5) ? 'POST' : 'GET', path, { type: '', bytes: dice.bytes(dice.roll(20)) });
}

function withBody(
  dice: Dice,
  method: string,
  path: string,
  { type, bytes }: { readonly type: string; readonly bytes: Buffer },
  isStream = false,
): FuzzRequest {
  const target = dice.oneIn(5) ? withQuery(path, queryOf(dice)) : path;
  const headers = { ...(type === '' ? {} : { 'content-type': headerValue(type) }), ...headersOf(dice) };
  return {
    method,
    path: target,
    headers,
    body: bytes,
    isStream: isStream || /watch|log|proxy|exec|attach|follow/.test(target),
  };
}

function collection(dice: Dice, { prefix, plural, isNamespaced }: Sample): string {
  return isNamespaced && !dice.oneIn(12)
    ? `${prefix}/namespaces/${dice.pick(NAMESPACES)}/${plural}`
    : `${prefix}/${plural}`;
}

function one(dice: Dice, sample: Sample): string {
  const fixed = (sample.object['metadata'] as { name?: string }).name;
  const chosen = dice.oneIn(12) ? encodePath(dice, [oddText(dice)]) : (fixed ?? name(dice));
  const subresources = [...sample.subresources, 'status', 'scale', 'ephemeralcontainers'];
  const below = dice.oneIn(4) ? `/${dice.pick(subresources)}` : '';
  return `${collection(dice, sample)}/${chosen}${below}`;
}

function encodePath(dice: Dice, parts: readonly string[]): string {
  const encode = (part: string) => encodeURIComponent(part.toWellFormed());
  const raw = (part: string) => part.replaceAll(/[^\u0021-\u007e]|[?#]/g, '%');
  return parts.map(dice.oneIn(3) ? raw : encode).join('/');
}

function queryOf(dice: Dice): readonly string[] {
  const options: Readonly<Record<string, () => string>> = {
    labelSelector: () => labelSelector(dice),
    fieldSelector: () => fieldSelector(dice),
    limit: () => dice.pick(['1', '2', '-1', '99999999999999999999', oddText(dice)]),
    continue: () =>
      dice.pick([
        Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: dice.roll(999), start: 'x' })).toString('base64url'),
        oddText(dice),
      ]),
    resourceVersion: () => dice.pick(['0', '1', String(dice.roll(100_000)), '-5', '99999999999', oddText(dice)]),
    resourceVersionMatch: () => dice.pick(['Exact', 'NotOlderThan', oddText(dice)]),
    timeoutSeconds: () => dice.pick(['1', '0', '-1', oddText(dice)]),
    sendInitialEvents: () => dice.pick(['true', 'false', oddText(dice)]),
    allowWatchBookmarks: () => 'true',
    dryRun: () => dice.pick(['All', oddText(dice)]),
    fieldManager: () => dice.pick(['m', 'x'.repeat(200), oddText(dice)]),
    fieldValidation: () => dice.pick(['Strict', 'Warn', 'Ignore', oddText(dice)]),
    force: () => dice.pick(['true', 'false', oddText(dice)]),
    pretty: () => 'true',
    gracePeriodSeconds: () => dice.pick(['0', '-1', '1', oddText(dice)]),
    propagationPolicy: () => dice.pick(['Foreground', 'Background', 'Orphan', oddText(dice)]),
    includeObject: () => dice.pick(['None', 'Object', oddText(dice)]),
    container: () => oddText(dice),
    tailLines: () => oddText(dice),
    command: () => oddText(dice),
    path: () => oddText(dice),
  };
  const keys = Object.keys(options);
  return Array.from({ length: dice.roll(4) }, () => {
    const key = dice.pick(keys);
    const value = options[key]?.() ?? '';
    return `${key}=${dice.oneIn(20) ? encodePath(dice, [value]) : encodeURIComponent(value.toWellFormed())}`;
  });
}

function withQuery(path: string, query: readonly string[]): string {
  return query.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`;
}

const ACCEPTS: readonly string[] = [
  'application/json',
  '*/*',
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io, application/json;q=0.1',
  'application/vnd.kubernetes.protobuf',
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
];

function headersOf(dice: Dice): Readonly<Record<string, string>> {
  if (dice.oneIn(2)) return {};
  const odd = () => headerValue(oddText(dice));
  const choices: readonly (readonly [string, () => string])[] = [
    ['accept', () => (dice.oneIn(4) ? odd() : dice.pick(ACCEPTS))],
    ['accept-encoding', () => dice.pick(['gzip', 'identity', odd()])],
    ['user-agent', () => dice.pick(['kubectl/v1', 'curl/8', odd()])],
    ['impersonate-user', () => dice.pick(['u', 'system:serviceaccount:fuzz-0:default', 'system:anonymous', odd()])],
    ['impersonate-group', () => dice.pick(['system:masters', odd()])],
    ['impersonate-uid', odd],
    [`impersonate-extra-${dice.pick(['scopes', '%zz', 'a%2fb', '__proto__'])}`, odd],
    ['authorization', () => dice.pick(['Bearer x', 'Bearer a.b.c', 'Basic eDp5', odd()])],
    ['if-none-match', odd],
    ['content-encoding', () => dice.pick(['gzip', odd()])],
  ];
  return Object.fromEntries(
    Array.from({ length: 1 + dice.roll(2) }, () => {
      const [key, value] = dice.pick(choices);
      return [key, value()] as const;
    }),
  );
}

/** Header values are bytes without line breaks; other senders than Node's could send them, but not as a header. */
function headerValue(text: string): string {
  return Buffer.from(text.toWellFormed())
    .toString('latin1')
    .replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '')
    .trim();
}
