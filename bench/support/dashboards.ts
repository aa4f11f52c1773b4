import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { hangs } from './ray-jobs.ts';

/**
 * The dashboards of all Ray heads in one process: an HTTP proxy that answers by itself. Each job runs for a while after it was submitted
 * and succeeds. Arguments: milliseconds that an answer takes, milliseconds of work, and `hanging` when every twentieth head is to accept
 * requests and never answer. Prints `{"url": …}`; `/tally` has how many requests came.
 */
const [latency = '0', work = '0', mood = ''] = process.argv.slice(2);
const submittedAt = new Map<string, number>();
const tally: Record<string, number> = {};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '' } = request;
  if (url === '/tally') {
    response.end(JSON.stringify(tally));
    return;
  }
  const { hostname, pathname } = new URL(url);
  tally[method] = (tally[method] ?? 0) + 1;
  if (mood === 'hanging' && hangs(hostname)) return;
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += String(part);
  setTimeout(() => reply(response, method, pathname, body), Number(latency));
}

function reply(response: ServerResponse, method: string, path: string, body: string): void {
  const send = (status: number, value: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  if (method === 'POST') {
    const { submission_id: id }: { readonly submission_id: string } = JSON.parse(body);
    submittedAt.set(id, Date.now());
    send(200, { job_id: id, submission_id: id });
    return;
  }
  const id = path.split('/').at(-1) ?? '';
  const since = submittedAt.get(id);
  if (since === undefined) {
    send(404, {});
    return;
  }
  const end = since + Number(work);
  const isOver = Date.now() >= end;
  send(200, {
    submission_id: id,
    status: isOver ? 'SUCCEEDED' : 'RUNNING',
    message: '',
    start_time: since,
    end_time: isOver ? end : 0,
  });
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
