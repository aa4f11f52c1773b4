import { createDice, type Dice } from './dice.ts';
import type { Access } from './engine-child.ts';
import { Http2Sender } from './http2-sender.ts';
import { pipelined, sendPlain, sendRaw, upgradeBytes } from './raw-sender.ts';
import { fuzzRequest, NAMESPACES } from './requests.ts';

/** One client after another sends its share of the requests: which ones, the seed alone decides. */
export interface Outcome {
  readonly sent: number;
  /** Answers over HTTP/2, by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Requests over HTTP/2 that got no answer within a minute. */
  readonly unanswered: number;
}

const PIPELINE = 12;

/** Sends `total` requests in many ways at the same time. */
export async function sendAll(access: Access, seed: number, total: number): Promise<Outcome> {
  const { url, ca, admin, user } = access;
  const statuses = new Map<number, number>();
  const trust = { url, ca };
  const senders = [
    new Http2Sender({ ...trust, ...admin }),
    new Http2Sender({ ...trust, ...user }),
    new Http2Sender(trust),
  ];
  const overHttp2 = (sender: Http2Sender) => async (dice: Dice) => {
    const status = await sender.send(fuzzRequest(dice));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return 1;
  };
  const [asAdmin, asUser, asNobody] = senders.map(overHttp2);
  if (asAdmin === undefined || asUser === undefined || asNobody === undefined) throw new Error('three senders');
  const raw = async (dice: Dice) => {
    await sendRaw({ ...trust, ...admin }, pipelined(dice, PIPELINE), dice.oneIn(4) ? 'destroy' : 'end');
    return PIPELINE;
  };
  const upgrade = async (dice: Dice) => {
    await sendRaw({ ...trust, ...admin }, [upgradeBytes(dice)], dice.oneIn(2) ? 'destroy' : 'end');
    return 1;
  };
  const plain = async (dice: Dice) => {
    await sendPlain(dice, trust);
    return 1;
  };
  const lanes: readonly (readonly [share: number, lanes: number, send: (dice: Dice) => Promise<number>])[] = [
    [0.6, 32, asAdmin],
    [0.07, 3, asUser],
    [0.04, 2, asNobody],
    [0.26, 16, raw],
    [0.02, 6, upgrade],
    [0.01, 4, plain],
  ];
  await createNamespaces(senders[0]);
  let sent = 0;
  const run = async (send: (dice: Dice) => Promise<number>, dice: Dice, quota: number) => {
    for (let done = 0; done < quota; ) {
      const count = await send(dice);
      done += count;
      sent += count;
      if (Math.floor(sent / 2000) !== Math.floor((sent - count) / 2000)) await createNamespaces(senders[0]);
    }
  };
  let lane = 0;
  await Promise.all(
    lanes.flatMap(([share, count, send]) =>
      Array.from({ length: count }, () =>
        run(send, createDice(seed + 7919 * lane++), Math.ceil((total * share) / count)),
      ),
    ),
  );
  await Promise.all(senders.map((sender) => sender.close()));
  const unanswered = senders.reduce((sum, sender) => sum + sender.unanswered, 0);
  return { sent, statuses, unanswered };
}

/** Requests delete namespaces now and then, and everything else needs them. */
async function createNamespaces(sender: Http2Sender | undefined): Promise<void> {
  for (const name of NAMESPACES) {
    const body = Buffer.from(JSON.stringify({ metadata: { name } }));
    const headers = { 'content-type': 'application/json' };
    await sender?.send({ method: 'POST', path: '/api/v1/namespaces', headers, body, isStream: false });
  }
}
