import type { Call } from './call.ts';

/** Answers a request ourselves, in a sentence. */
export function refuse(call: Call, status: number, why: string, headers: readonly string[] = []): void {
  if (call.isOver()) return;
  const text = Buffer.from(`${why}\n`);
  const head = ['content-type', 'text/plain; charset=utf-8', 'content-length', String(text.length), ...headers];
  const isHead = call.method === 'HEAD';
  const sink = call.answer({ status, headers: head, isComplete: isHead });
  if (sink === undefined) return;
  // Whatever else the client sends is read and forgotten, so that it comes to read our answer.
  call.body.resume();
  sink.write(text);
  call.end([]);
}
