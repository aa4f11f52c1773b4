/** One request as bytes, and whether its body is read: then the connection can be used again. */
export interface FuzzedRequest {
  readonly bytes: Buffer;
  readonly isRead: boolean;
}

type Random = () => number;

const PATHS = ['raycluster', 'rayjob', 'rayservice'].map((kind) => `/validate-ray-io-v1-${kind}`);
const OTHER_PATHS = [
  '/',
  '//',
  '/..%2f',
  '/validate-ray-io-v1-rayjob/%zz',
  '/validate-ray-io-v1-rayjob?timeout=10s',
  '*',
];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  '',
  'application/jsonx',
  'a'.repeat(5_000),
];
const METHODS = ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];
const NAMES = [
  'metadata',
  'name',
  'namespace',
  'spec',
  'headGroupSpec',
  'workerGroupSpecs',
  'template',
  'containers',
  'rayStartParams',
  'groupName',
  'replicas',
  'minReplicas',
  'maxReplicas',
  'rayClusterSpec',
  'rayClusterConfig',
  'serveConfigV2',
  'entrypoint',
  'runtimeEnvYAML',
  'upgradeStrategy',
  'suspend',
  'annotations',
  'labels',
  'env',
  'resources',
  'limits',
  'deletionStrategy',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  '',
];
const VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -0,
  2 ** 53,
  '',
  'a',
  '-1',
  '1e999',
  '\u0000',
  '\ud800',
  '../..',
  'x'.repeat(300),
  '{',
  '[',
  'a: [',
  '&a *a',
  '${x}',
];

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

function value(random: Random, depth: number): unknown {
  const dice = random();
  if (depth <= 0 || dice < 0.4) return pick(random, VALUES);
  const many = Math.floor(random() * 4);
  if (dice < 0.6) return Array.from({ length: many }, () => value(random, depth - 1));
  // Written as text, because an object literal would take `__proto__` for its prototype.
  return Object.fromEntries(Array.from({ length: many }, () => [pick(random, NAMES), value(random, depth - 1)]));
}

/** An object that is nearly right, so that validation gets to see it. */
function object(random: Random): unknown {
  const container = { name: 'c', image: 'i', resources: value(random, 2) };
  const template = { spec: { containers: random() < 0.8 ? [container] : value(random, 2) } };
  const headGroupSpec = { template, rayStartParams: value(random, 2) };
  const group = {
    groupName: pick(random, VALUES),
    replicas: pick(random, VALUES),
    template,
    scaleStrategy: value(random, 2),
  };
  const cluster = { headGroupSpec, workerGroupSpecs: random() < 0.7 ? [group, group] : value(random, 2) };
  const job = {
    entrypoint: pick(random, VALUES),
    runtimeEnvYAML: pick(random, VALUES),
    deletionStrategy: value(random, 4),
  };
  const spec = {
    ...cluster,
    ...job,
    rayClusterSpec: cluster,
    rayClusterConfig: cluster,
    serveConfigV2: pick(random, VALUES),
  };
  const metadata = random() < 0.7 ? { name: 'x', namespace: 'n', annotations: value(random, 2) } : value(random, 3);
  return random() < 0.7
    ? { metadata, spec: random() < 0.8 ? spec : value(random, 4), status: value(random, 2) }
    : value(random, 6);
}

function review(random: Random): string {
  const operation = pick(random, ['CREATE', 'UPDATE', 'DELETE', 'CONNECT', 7, null]);
  const request = {
    uid: random() < 0.95 ? 'u' : pick(random, VALUES),
    operation,
    object: object(random),
    oldObject: object(random),
  };
  const apiVersion = random() < 0.95 ? 'admission.k8s.io/v1' : pick(random, VALUES);
  return JSON.stringify({ apiVersion, kind: 'AdmissionReview', request: random() < 0.97 ? request : value(random, 3) });
}

/** A body: a review, one that was damaged, or something else. */
function body(random: Random): Buffer {
  const dice = random();
  if (dice < 0.02) return Buffer.from('['.repeat(20_000));
  if (dice < 0.04) return Buffer.from(Array.from({ length: 200 }, () => Math.floor(random() * 256)));
  const bytes = Buffer.from(review(random));
  if (dice < 0.15) return bytes.subarray(0, Math.floor(random() * bytes.length));
  if (dice < 0.3) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return bytes;
}

/** The next request of this seed. */
export function fuzzedRequest(random: Random): FuzzedRequest {
  const content = body(random);
  const [method, path, type, isBroken] = [random() < 0.01, random() < 0.01, random() < 0.01, random() < 0.02];
  const start = [
    `${method ? pick(random, METHODS) : 'POST'} ${pick(random, path ? OTHER_PATHS : PATHS)} HTTP/1.1`,
    'host: webhooks',
    `content-type: ${type ? pick(random, TYPES) : 'application/json'}`,
    '',
  ].join('\r\n');
  if (isBroken) return { bytes: broken(random, start, content), isRead: false };
  const isRead = !method && !path && !type;
  if (random() < 0.1) return { bytes: chunked(start, content), isRead };
  return { bytes: Buffer.concat([Buffer.from(`${start}content-length: ${content.length}\r\n\r\n`), content]), isRead };
}

function chunked(start: string, content: Buffer): Buffer {
  const size = content.length.toString(16);
  const chunk = content.length === 0 ? '' : `${size}\r\n${content.toString('latin1')}\r\n`;
  return Buffer.from(`${start}transfer-encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`, 'latin1');
}

/** A request whose length is a lie, whose head is damaged, or that ends in the middle. */
function broken(random: Random, start: string, content: Buffer): Buffer {
  const lies = [
    `${start}content-length: ${content.length + 50}\r\n\r\n`,
    `${start}content-length: 99999999999\r\n\r\n`,
    `${start}content-length: -1\r\n\r\n`,
    `${start}content-length: 3\r\ncontent-length: 4\r\n\r\n`,
    `${start}transfer-encoding: chunked\r\n\r\nzz\r\n`,
    `${start}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n`,
    `${start}x: ${'y'.repeat(20_000)}\r\n\r\n`,
    start.slice(0, Math.floor(random() * start.length)),
    `\u0000${start}`,
  ];
  return Buffer.concat([Buffer.from(pick(random, lies), 'latin1'), content]);
}
