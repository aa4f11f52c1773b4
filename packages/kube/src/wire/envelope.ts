import { readMessage } from './message.ts';
import { WireError } from './reader.ts';
import { type Shape, shapeOf } from './shape.ts';

/** Every object begins so; what follows is an envelope that names the kind of what is in it. */
const MAGIC = Buffer.from('k8s\0');

const ENVELOPE = shapeOf({
  1: { name: 'type', type: 'message', shape: shapeOf({ 2: { name: 'kind', type: 'text' } }) },
  2: { name: 'raw', type: 'bytes' },
});

/** A refusal. */
export const STATUS = shapeOf({
  2: { name: 'status', type: 'text' },
  3: { name: 'message', type: 'text' },
  4: { name: 'reason', type: 'text' },
  6: { name: 'code', type: 'whole' },
  5: {
    name: 'details',
    type: 'message',
    shape: shapeOf({
      1: { name: 'name', type: 'text' },
      2: { name: 'group', type: 'text' },
      3: { name: 'kind', type: 'text' },
      4: {
        name: 'causes',
        type: 'messages',
        shape: shapeOf({
          1: { name: 'reason', type: 'text' },
          2: { name: 'message', type: 'text' },
          3: { name: 'field', type: 'text' },
        }),
      },
      5: { name: 'retryAfterSeconds', type: 'whole' },
    }),
  },
});

/** An object with its envelope; a Status, which may come in place of anything, is read as such. */
export function readObject(bytes: Buffer, shape: Shape): ReturnType<JSON['parse']> {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new WireError('an object does not begin as it should');
  const { type, raw }: Envelope = readMessage(bytes.subarray(MAGIC.length), ENVELOPE);
  if (type?.kind === 'Status') return { kind: 'Status', ...readMessage(raw ?? NOTHING, STATUS) };
  return readMessage(raw ?? NOTHING, shape);
}

interface Envelope {
  readonly type?: { readonly kind?: string };
  readonly raw?: Buffer;
}

const NOTHING = Buffer.alloc(0);

const EVENT = shapeOf({
  1: { name: 'type', type: 'text' },
  2: { name: 'object', type: 'inline', shape: shapeOf({ 1: { name: 'raw', type: 'bytes' } }) },
});

/** One event of a watch. */
export function readEvent(frame: Buffer, shape: Shape): ReturnType<JSON['parse']> {
  const { type, raw }: { readonly type?: string; readonly raw?: Buffer } = readMessage(frame, EVENT);
  return { type, object: readObject(raw ?? NOTHING, shape) };
}

/** A refusal as JSON; where it cannot be read nothing is lost but its words. */
export function statusText(bytes: Buffer): string {
  try {
    return JSON.stringify(readObject(bytes, STATUS));
  } catch {
    return '';
  }
}
