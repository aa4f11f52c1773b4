import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './decode-object.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

describe('an object in protobuf', () => {
  it('is read as the JSON that it stands for', () => {
    // As a typed Go client writes them: empty texts and an empty time are there.
    const metadata = '0a 01 78 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00';
    const configMap = `0a 11 ${metadata} 12 06 0a 01 61 12 01 62`;
    const envelope = `6b387300 0a 0f 0a 02 7631 12 09 436f6e6669674d6170 12 1b ${configMap}`;
    expect(decodeProtobuf(bytes(envelope))).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'x',
        generateName: '',
        namespace: '',
        selfLink: '',
        uid: '',
        resourceVersion: '',
        generation: 0,
        creationTimestamp: null,
      },
      data: { a: 'b' },
    });
  });

  it.each([
    ['no prefix', '00 01 02 03', 'does not appear to be a protobuf message'],
    ['a value that is cut off', '6b387300 0a ff', 'a message ends too early'],
    ['a kind that nobody knows', '6b387300 0a 09 0a 02 7631 12 03 466f6f', 'no kind "Foo" is registered'],
  ])('with %s is refused', (_, hex, why) => {
    expect(() => decodeProtobuf(bytes(hex))).toThrow(why);
  });
});
