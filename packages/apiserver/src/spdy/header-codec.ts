import { guard, POD_PROXY_LIMITS } from '@manta/base';
import { constants, createDeflate, createInflate, type Zlib } from 'node:zlib';
import type { Transform } from 'node:stream';
import { headerDictionary, withLength } from './header-dictionary.ts';

/** The headers of a stream, by their names in lower case. */
export type SpdyHeaders = ReadonlyMap<string, string>;

/** Reads and writes the headers of one session: each direction is one compressed stream from the first headers to the last. */
export class HeaderCodec {
  readonly #inflate = createInflate({ dictionary: headerDictionary() });
  readonly #deflate = createDeflate({ dictionary: headerDictionary(), flush: constants.Z_SYNC_FLUSH });

  async read(compressed: Buffer): Promise<SpdyHeaders> {
    return parse(await through(this.#inflate, compressed));
  }

  async write(headers: SpdyHeaders): Promise<Buffer> {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(headers.size);
    const fields = [...headers].flatMap(([name, value]) => [withLength(name), withLength(value)]);
    return await through(this.#deflate, Buffer.concat([count, ...fields]));
  }

  close(): void {
    this.#inflate.destroy();
    this.#deflate.destroy();
  }
}

/** What comes out for what goes in; the stream goes on. */
function through(stream: Transform & Zlib, input: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const collect = guard('port-forward', stream, (chunk: Buffer) => {
      size += chunk.length;
      if (size <= POD_PROXY_LIMITS.spdyHeaderBytes) {
        chunks.push(chunk);
        return;
      }
      settle(() => reject(new Error(`headers are longer than ${POD_PROXY_LIMITS.spdyHeaderBytes} bytes`)));
      stream.destroy();
    });
    const settle = (finish: () => void) => {
      stream.off('data', collect);
      stream.off('error', fail);
      finish();
    };
    const fail = guard('port-forward', stream, (error: Error) => settle(() => reject(error)));
    stream.on('data', collect);
    stream.on('error', fail);
    stream.write(input, (error) => settle(() => (error ? reject(error) : resolve(Buffer.concat(chunks)))));
  });
}

function parse(bytes: Buffer): SpdyHeaders {
  let at = 4;
  const text = () => {
    const end = at + 4 + bytes.readUInt32BE(at);
    const value = bytes.toString('utf8', at + 4, end);
    at = end;
    return value;
  };
  const headers = new Map<string, string>();
  for (let left = bytes.readUInt32BE(0); left > 0; left--) headers.set(text().toLowerCase(), text());
  return headers;
}
