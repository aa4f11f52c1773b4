import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseParser } from './http1-response.ts';

interface Heard {
  status: number;
  headers: readonly string[];
  body: string;
  trailers: readonly string[] | undefined;
  problem: string | undefined;
  isReusable: boolean;
}

/** What is understood of an answer that arrives in these pieces. */
function hear(pieces: readonly Buffer[], { method = 'GET', isClosed = false } = {}): Heard {
  const heard: Heard = { status: 0, headers: [], body: '', trailers: undefined, problem: undefined, isReusable: false };
  const parser = new ResponseParser();
  parser.begin(method, {
    head: (status, headers) => Object.assign(heard, { status, headers }),
    chunk: (bytes) => void (heard.body += bytes.toString('latin1')),
    end: (trailers) => void (heard.trailers = trailers),
  });
  for (const piece of pieces) heard.problem ??= parser.read(piece);
  if (isClosed) parser.close();
  return { ...heard, isReusable: parser.isReusable };
}

const whole = (text: string) => [Buffer.from(text, 'latin1')];
const OK = 'HTTP/1.1 200 OK\r\n';

describe('an answer', () => {
  it.each<[string, string, Partial<Heard>]>([
    ['with a length', `${OK}Content-Length: 2\r\nX-A: \tb \r\n\r\nhi`, { body: 'hi', trailers: [], isReusable: true }],
    ['with nothing in it', `${OK}content-length: 0\r\n\r\n`, { body: '', trailers: [], isReusable: true }],
    [
      'in chunks',
      `${OK}transfer-encoding: Chunked\r\n\r\n2\r\nhi\r\n3;x=y\r\nyou\r\n0\r\n\r\n`,
      { body: 'hiyou', trailers: [] },
    ],
    [
      'with trailers',
      `${OK}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\na: 1\r\nb: 2\r\n\r\n`,
      { body: 'x', trailers: ['a', '1', 'b', '2'], isReusable: true },
    ],
    [
      'after words in advance',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}content-length: 1\r\n\r\nx`,
      { status: 200, body: 'x' },
    ],
    ['without a reason', 'HTTP/1.1 299\r\ncontent-length: 0\r\n\r\n', { status: 299, trailers: [] }],
    ['of 204, whatever its length', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, trailers: [], isReusable: true }],
    [
      'of 304, whatever its length',
      'HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n',
      { trailers: [], isReusable: true },
    ],
    [
      'that is the last on its connection',
      `${OK}connection: x, Close\r\nconnection: y\r\ncontent-length: 1\r\n\r\nx`,
      { body: 'x', isReusable: false },
    ],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx', { body: 'x', isReusable: false }],
    [
      'of HTTP/1.0 that keeps its connection',
      'HTTP/1.0 200 OK\r\ncontent-length: 1\r\nconnection: Keep-Alive\r\n\r\nx',
      { body: 'x', isReusable: true },
    ],
    [
      'with bytes above 127',
      `${OK}x: \xe4\r\ncontent-length: 1\r\n\r\n\xff`,
      { headers: ['x', '\xe4', 'content-length', '1'], body: '\xff' },
    ],
    [
      'with bytes that are blanks elsewhere',
      `${OK}x: \t\xa0voil\xc3\xa0 \r\ncontent-length: 0\r\n\r\n`,
      { headers: ['x', '\xa0voil\xc3\xa0', 'content-length', '0'] },
    ],
  ])('%s is understood', (_, text, expected) => {
    expect(hear(whole(text))).toMatchObject({ problem: undefined, ...expected });
  });

  it('to HEAD ends with its head', () => {
    const heard = hear(whole(`${OK}content-length: 5\r\n\r\n`), { method: 'HEAD' });
    expect(heard).toMatchObject({ body: '', trailers: [], isReusable: true, headers: ['content-length', '5'] });
  });

  it.each(['', 'transfer-encoding: identity\r\n'])('without a length (%s) ends with its connection', (header) => {
    const text = `${OK}${header}\r\nas long as it gets`;
    expect(hear(whole(text))).toMatchObject({ body: 'as long as it gets', trailers: undefined });
    expect(hear(whole(text), { isClosed: true })).toMatchObject({ trailers: [], isReusable: false });
  });

  it('with a length does not end with its connection', () => {
    const heard = hear(whole(`${OK}content-length: 9\r\n\r\nhalf`), { isClosed: true });
    expect(heard).toMatchObject({ body: 'half', trailers: undefined });
  });

  it.each([
    ['that is something else', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['of HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
    ['with two lengths', `${OK}content-length: 1\r\ncontent-length: 1\r\n\r\nx`],
    ['with a length and chunks', `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`],
    ['with a length that is no number', `${OK}content-length: +1\r\n\r\nx`],
    ['with two codings', `${OK}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['coded in another way', `${OK}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['with a folded header', `${OK}a: b\r\n c\r\ncontent-length: 0\r\n\r\n`],
    ['with a space before the colon', `${OK}content-length : 0\r\n\r\n`],
    ['with a lone line feed in a header', `${OK}a: b\nc: d\r\ncontent-length: 0\r\n\r\n`],
    ['with a zero byte in a header', `${OK}a: b\0\r\ncontent-length: 0\r\n\r\n`],
    ['with a header without a name', `${OK}: b\r\n\r\n`],
    ['with a chunk that is no number', `${OK}transfer-encoding: chunked\r\n\r\n0x1\r\nx\r\n`],
    ['with a chunk that is longer than it says', `${OK}transfer-encoding: chunked\r\n\r\n1\r\nxyz\r\n0\r\n\r\n`],
    ['with trailers that are none', `${OK}transfer-encoding: chunked\r\n\r\n0\r\nnonsense\r\n\r\n`],
    ['that changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
    ['that is followed by more', `${OK}content-length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n`],
    ['whose head never ends', `${OK}a: ${'x'.repeat(70_000)}`],
    ['whose chunk size never ends', `${OK}transfer-encoding: chunked\r\n\r\n1;${'x'.repeat(5_000)}`],
  ])('%s is refused, and its connection with it', (_, text) => {
    const heard = hear(whole(text));
    expect(heard.problem).toBeDefined();
    expect(heard.isReusable).toBe(false);
  });

  it('is understood the same way however it is cut into pieces', () => {
    const chunk = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 });
    const answer = fc.record({
      advance: fc.constantFrom('', 'HTTP/1.1 100 Continue\r\n\r\n'),
      chunks: fc.array(chunk, { maxLength: 5 }),
      isChunked: fc.boolean(),
      trailers: fc.constantFrom('', 'x-t: 1\r\n'),
    });
    const cuts = fc.array(fc.nat({ max: 300 }), { maxLength: 12 });
    fc.assert(
      fc.property(answer, cuts, ({ advance, chunks, isChunked, trailers }, at) => {
        const body = chunks.join('');
        const framed = chunks.map((one) => `${one.length.toString(16)}\r\n${one}\r\n`).join('');
        const text = isChunked
          ? `${advance}${OK}transfer-encoding: chunked\r\n\r\n${framed}0\r\n${trailers}\r\n`
          : `${advance}${OK}content-length: ${body.length}\r\n\r\n${body}`;
        const [bytes = Buffer.alloc(0)] = whole(text);
        const edges = [0, ...at.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
        const pieces = edges.slice(1).map((end, i) => bytes.subarray(edges[i], end));
        const expected = { status: 200, body, trailers: isChunked && trailers !== '' ? ['x-t', '1'] : [] };
        expect(hear(pieces)).toMatchObject({ ...expected, problem: undefined, isReusable: true });
      }),
    );
  });
});
