import type { TestEngineOptions } from '@manta/apiserver/testing';

const LINES = Array.from({ length: 240 }, (_, at) => {
  const step = at + 1;
  const loss = (2.4 * Math.exp(-at / 140) + 0.31).toFixed(4);
  return `epoch ${Math.floor(at / 80) + 1}  step ${String(step).padStart(3)}  loss ${loss}  1.8${at % 10} it/s`;
});
const LOG = [
  '2026-11-18 11:49:50,212\tINFO cli.py:41 -- \u001b[37mJob submission server address\u001b[39m: \u001b[1mhttp://10.244.1.9:8265\u001b[22m',
  ...LINES.slice(0, 236),
  '\u001b[33mWARNING\u001b[39m checkpoint took 41 s: the bucket is in another region',
  ...LINES.slice(236),
  '\u001b[31mray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\u001b[39m',
].join('\n');

/** Answers for pods that do not run: every log is the same. */
export const demoLogs: NonNullable<TestEngineOptions['podBackend']> = {
  handle: async ({ response, query }) => {
    response.setHeader('content-type', 'text/plain');
    response.writeHead(200, {});
    response.write(`${LOG}\n`);
    // A followed log goes on until the reader leaves.
    if (query.get('follow') !== 'true') response.end();
  },
};
