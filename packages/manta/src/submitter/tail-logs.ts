import type { TailLogs } from '@manta/ray';

/** The status that closes a stream in good order. */
const NORMAL_CLOSURE = 1000;

/** Follows a job's output over the WebSocket of the head at `url`. */
export function tailOverWebSocket(head: { readonly url: string; readonly token: string | undefined }): TailLogs {
  const base = head.url.replace(/^http/, 'ws');
  const headers = head.token === undefined ? {} : { 'x-ray-authorization': `Bearer ${head.token}` };
  return (id, onText, giveUp) =>
    new Promise((resolve, reject) => {
      const socket = openSocket(`${base}/api/jobs/${encodeURIComponent(id)}/logs/tail`, headers);
      giveUp.addEventListener('abort', () => {
        socket.close();
        reject(new Error('the stream was given up'));
      });
      socket.addEventListener('message', ({ data }: MessageEvent) => {
        if (typeof data === 'string') onText(data);
      });
      socket.addEventListener('close', ({ code, reason }: CloseEvent) => {
        if (code === NORMAL_CLOSURE) resolve();
        else reject(new Error(`the stream of the job's output broke off (${code} ${reason})`));
      });
    });
}

/** Node's own WebSocket takes headers, which browsers' do not and the types therefore do not know. */
function openSocket(url: string, headers: Readonly<Record<string, string>>): WebSocket {
  const options: unknown = { headers };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return new WebSocket(url, options as string[]);
}
