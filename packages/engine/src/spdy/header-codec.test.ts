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
