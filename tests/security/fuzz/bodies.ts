import type { Dice } from './dice.ts';
import { name, oddText } from './texts.ts';
import { damaged, mutated, oddValue } from './values.ts';
import type { Sample } from './samples.ts';

/** A body and what its sender calls it. */
export interface FuzzBody {
  readonly type: string;
  readonly bytes: Buffer;
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? 'null');

/** The object of a create or update: as it should be, mutated, or broken; in any of the formats. */
export function objectBody(dice: Dice, sample: Sample): FuzzBody {
  const metadata = { ...(sample.object['metadata'] as object), labels: { app: 'a' } };
  const named = { ...sample.object, metadata: { name: name(dice), ...metadata } };
  const object = dice.oneIn(3) ? named : mutated(dice, named);
  const bytes = json(object);
  switch (dice.roll(12)) {
    case 0:
      return { type: 'application/json', bytes: damaged(dice, bytes) };
    case 1:
      return { type: 'application/yaml', bytes: dice.oneIn(2) ? bytes : yamlBody(dice) };
    case 2:
      return { type: 'application/vnd.kubernetes.protobuf', bytes: protobufBody(dice, sample) };
    case 3:
      return { type: oddText(dice), bytes };
    case 4:
      return { type: 'application/json', bytes: rareBody(dice) };
    default:
      return { type: 'application/json', bytes };
  }
}

function yamlBody(dice: Dice): Buffer {
  const lines = [
    'metadata: {name: n1}',
    `data: &a {x: ${oddText(dice)}}`,
    'spec: *a',
    'b: &b [*b]',
    `? ${oddText(dice)}`,
    `"${oddText(dice)}": !!binary x`,
    '<<: *a',
    'when: 2001-12-14t21:59:43.10-05:00',
    '- x',
    '--- {}',
    `\t${oddText(dice)}`,
  ];
  const text = Array.from({ length: 1 + dice.roll(6) }, () => dice.pick(lines)).join('\n');
  return dice.oneIn(3) ? damaged(dice, Buffer.from(text)) : Buffer.from(text);
}

/** Bodies at the limits, which cost more: few of them. */
function rareBody(dice: Dice): Buffer {
  if (!dice.oneIn(40)) return dice.bytes(dice.roll(64));
  switch (dice.roll(4)) {
    case 0:
      return Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    case 1:
      return json({ metadata: { name: 'large' }, data: { a: 'x'.repeat(dice.roll(3_200_000)) } });
    case 2:
      return json({
        metadata: { name: 'many' },
        data: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, ''])),
      });
    default:
      return Buffer.from(`{"a":"${'\\u0000'.repeat(10_000)}`);
  }
}

function protobufBody(dice: Dice, { object }: Sample): Buffer {
  const field = (number: number, bytes: Buffer) =>
    Buffer.concat([Buffer.from([(number << 3) | 2, Math.min(bytes.length, 127)]), bytes.subarray(0, 127)]);
  const type = Buffer.concat([
    field(1, Buffer.from(String(object['apiVersion']))),
    field(2, Buffer.from(String(object['kind']))),
  ]);
  const meta = field(1, Buffer.concat([field(1, Buffer.from(name(dice))), dice.bytes(dice.roll(8))]));
  const raw = Buffer.concat([meta, dice.oneIn(2) ? dice.bytes(dice.roll(40)) : Buffer.alloc(0)]);
  const whole = Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), field(1, type), field(2, raw)]);
  return dice.oneIn(2) ? whole : damaged(dice, whole);
}

/** A patch of any type, valid or nearly so. */
export function patchBody(dice: Dice, sample: Sample): FuzzBody {
  const kind = dice.roll(5);
  const body =
    kind === 0 ? jsonPatch(dice, sample) : kind === 1 ? strategicPatch(dice, sample) : mutated(dice, sample.object);
  const bytes = dice.oneIn(10) ? damaged(dice, json(body)) : json(body);
  const types = [
    'application/json-patch+json',
    'application/strategic-merge-patch+json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
    oddText(dice),
  ];
  return {
    type: dice.oneIn(12) ? dice.pick(types) : (types[kind] ?? ''),
    bytes: kind === 3 && dice.oneIn(6) ? yamlBody(dice) : bytes,
  };
}

function jsonPatch(dice: Dice, { object }: Sample): unknown {
  const pointer = () => {
    const keys = ['metadata', 'labels', 'app', 'data', 'spec', '-', '0', '-1', '~1', '', ...Object.keys(object)];
    return Array.from({ length: dice.roll(5) }, () => `/${dice.oneIn(4) ? oddText(dice) : dice.pick(keys)}`).join('');
  };
  return Array.from({ length: dice.roll(6) }, () => ({
    op: dice.oneIn(8) ? oddText(dice) : dice.pick(['add', 'remove', 'replace', 'move', 'copy', 'test']),
    path: pointer(),
    from: pointer(),
    value: oddValue(dice),
  }));
}

function strategicPatch(dice: Dice, { object }: Sample): unknown {
  const directives = {
    $patch: dice.oneIn(3) ? oddValue(dice) : dice.pick(['replace', 'delete', 'merge']),
    $retainKeys: dice.oneIn(2) ? ['a'] : oddValue(dice),
    '$setElementOrder/containers': dice.oneIn(2) ? [{ name: 'c' }] : oddValue(dice),
    '$deleteFromPrimitiveList/finalizers': oddValue(dice),
  };
  const chosen = Object.entries(directives).filter(() => dice.oneIn(2));
  return { ...(mutated(dice, object) as object), ...Object.fromEntries(chosen), spec: Object.fromEntries(chosen) };
}

/** The options of a delete. */
export function deleteBody(dice: Dice): FuzzBody {
  const options = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    gracePeriodSeconds: dice.oneIn(2) ? 0 : oddValue(dice),
    propagationPolicy: dice.oneIn(2) ? dice.pick(['Background', 'Foreground', 'Orphan']) : oddValue(dice),
    preconditions: oddValue(dice),
  };
  return { type: 'application/json', bytes: dice.oneIn(2) ? Buffer.alloc(0) : json(mutated(dice, options)) };
}
