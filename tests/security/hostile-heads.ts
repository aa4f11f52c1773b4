import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Ray heads that a user wrote to exhaust the operator, in a thread of their own: their work is not measured as the operator's. */
export interface HostileHeads {
  readonly urls: readonly string[];
  /** Requests so far. */
  asked(): number;
  close(): Promise<void>;
}

/** How many applications a head's Serve answer lists, and how many bytes each of them has. */
export interface HostileAnswer {
  readonly applications: number;
  readonly bytesEach: number;
}

/** Every answer differs from the one before by one number, so that no answer can be skipped for being known. */
const SCRIPT = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const { heads, applications, bytesEach, asked } = workerData;
const list = {};
const keys = Math.max(1, Math.floor(bytesEach / 20));
for (let app = 0; app < applications; app += 1) {
  const config = {};
  for (let key = 0; key < keys; key += 1) config['key' + key] = 'value' + key;
  list['app' + app] = { status: 'RUNNING', message: '', deployed_app_config: config, deployments: {} };
}
const text = JSON.stringify({ applications: list, proxies: {} });
const head = Buffer.from(text.slice(0, -1) + ',"count":');
let count = 1e9;
const servers = [];
const urls = [];
for (let index = 0; index < heads; index += 1) {
  const server = createServer((request, response) => {
    Atomics.add(asked, 0, 1);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(head);
    response.end((count += 1) + '}');
  });
  servers.push(server);
  server.listen(0, '127.0.0.1', () => {
    urls.push('http://127.0.0.1:' + server.address().port);
    if (urls.length === heads) parentPort.postMessage({ urls, bytes: head.length });
  });
}
`;

/** Starts so many heads that all answer every question with the same large and ever changing text. */
export async function startHostileHeads(
  heads: number,
  answer: HostileAnswer,
): Promise<HostileHeads & { bytes: number }> {
  const asked = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(SCRIPT, { eval: true, workerData: { heads, asked, ...answer } });
  const [message]: { urls: readonly string[]; bytes: number }[] = await once(worker, 'message');
  if (message === undefined) throw new Error('the hostile heads did not start');
  return { ...message, asked: () => Atomics.load(asked, 0), close: async () => void (await worker.terminate()) };
}
