import { constants, createDeflate } from 'node:zlib';
import { POD_PROXY_LIMITS } from '@manta/base';
import { expect, it } from 'vitest';
import { HeaderCodec } from './header-codec.ts';
import { headerDictionary } from './header-dictionary.ts';

it('the dictionary has the length that the specification gives it', () => {
  expect(headerDictionary()).toHaveLength(1423);
});

it('headers are read as they were written, one after the other on the same connection', async () => {
  const [here, there] = [new HeaderCodec(), new HeaderCodec()];
  const all = [
    new Map<string, string>(),
    new Map([['streamtype', 'error']]),
    new Map([
      ['streamtype', 'data'],
      ['port', '8265'],
      ['requestid', '0'],
    ]),
  ];
  for (const headers of all) expect(await there.read(await here.write(headers))).toEqual(headers);
  here.close();
  there.close();
});

it('refuses headers that decompress to more than the limit, and keeps none of them', async () => {
  const deflate = createDeflate({ dictionary: headerDictionary(), flush: constants.Z_SYNC_FLUSH });
  const chunks: Buffer[] = [];
  deflate.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => deflate.write(Buffer.alloc(64 * 1024 * 1024), resolve));
  const codec = new HeaderCodec();
  const before = process.memoryUsage().arrayBuffers;
  await expect(codec.read(Buffer.concat(chunks))).rejects.toThrow(
    `headers are longer than ${POD_PROXY_LIMITS.spdyHeaderBytes} bytes`,
  );
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  codec.close();
  deflate.destroy();
});
