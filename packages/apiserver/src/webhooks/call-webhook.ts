import { guard } from '@manta/base';
import { request } from 'node:https';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { WebhookAddress } from './webhook-address.ts';

/** What is sent to a webhook and how. */
export interface WebhookCall {
  readonly address: WebhookAddress;
  /** PEM of whom to trust; the machine's authorities where it is absent. */
  readonly ca: string | undefined;
  readonly timeoutMs: number;
  readonly body: JsonObject;
}

/** Asks a webhook over HTTPS; rejects where no answer comes in time or the answer is none. */
export async function callWebhook(call: WebhookCall): Promise<JsonObject> {
  const { status, text } = await send(call);
  return decode(status, text);
}

function send({ address, ca, timeoutMs, body }: WebhookCall): Promise<{ status: number; text: string }> {
  const { host, port, path, serverName } = address;
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const headers = { 'content-type': 'application/json', accept: 'application/json', host: serverName };
    const options = { method: 'POST', host, port, path, headers, servername: serverName, signal, agent: false };
    const call = request({ ...options, ...(ca === undefined ? {} : { ca }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on(
        'data',
        guard('call to a webhook', response, (chunk: Buffer) => chunks.push(chunk)),
      );
      response.on('error', reject);
      response.on(
        'end',
        guard('call to a webhook', response, () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
        }),
      );
    });
    call.on('error', (error) => reject(signal.aborted ? new Error('context deadline exceeded') : error));
    call.end(JSON.stringify(body));
  });
}

function decode(status: number, text: string): JsonObject {
  if (status < 200 || status > 299) {
    throw new Error(`the server rejected our request for an unknown reason (status ${status})`);
  }
  const review: Json = JSON.parse(text);
  if (!isObject(review)) throw new Error('the answer is no AdmissionReview');
  return review;
}
