import { isObject, type JsonObject } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import type { Store } from '../store/contract.ts';
import type { EngineWorld } from '../world.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission/admission.ts';
import { badRequest } from '../status/errors.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import { asJson } from '../object/stored-json.ts';
import { admissionReview } from './admission-review.ts';
import { callWebhook } from './call-webhook.ts';
import { conditionsHold } from './match-conditions.ts';
import { type Webhook, webhooksOf } from './webhook.ts';
import { type WebhookAddress, webhookAddress } from './webhook-address.ts';
import { webhookMatches } from './webhook-matches.ts';

const CONFIGURATIONS = 'admissionregistration.k8s.io/validatingwebhookconfigurations';

/** Asks the webhooks that are configured, all at once; the first no counts. */
export function validatingWebhooks(store: Store, world: EngineWorld): AdmissionPlugin {
  return {
    validate(attributes) {
      const { group } = attributes.scope.resource.info;
      // Webhook configurations are exempt, so that a broken webhook can be repaired.
      if (group === 'admissionregistration.k8s.io') return undefined;
      const wanted = store
        .list(CONFIGURATIONS)
        .flatMap((configuration) => webhooksOf(asJson(configuration)))
        .filter((webhook) => webhookMatches(store, webhook, attributes));
      return wanted.length === 0 ? undefined : askAll(store, world, wanted, attributes);
    },
  };
}

async function askAll(
  store: Store,
  world: EngineWorld,
  webhooks: readonly Webhook[],
  attributes: AdmissionAttributes,
): Promise<void> {
  const answers = await Promise.allSettled(webhooks.map((webhook) => ask(store, world, webhook, attributes)));
  const refusal = answers.find((answer) => answer.status === 'rejected');
  if (refusal !== undefined) throw refusal.reason;
}

async function ask(store: Store, world: EngineWorld, webhook: Webhook, attributes: AdmissionAttributes): Promise<void> {
  const body = admissionReview(attributes, world.newUid());
  if (!isWanted(webhook, body)) return;
  if (attributes.isDryRun && !webhook.isSideEffectFree) {
    throw badRequest(`admission webhook "${webhook.name}" does not support dry run`);
  }
  const review = await call(store, webhook, body);
  if (review === undefined) return;
  for (const warning of warningsOf(review)) attributes.scope.warn(warning);
  if (valueAt(review, 'response.allowed') !== true) throw denied(webhook.name, valueAt(review, 'response.status'));
}

function isWanted(webhook: Webhook, review: JsonObject): boolean {
  if (webhook.matchConditions.length === 0) return true;
  try {
    return conditionsHold(webhook.matchConditions, isObject(review['request']) ? review['request'] : {});
  } catch (error) {
    if (webhook.isFailOpen) return false;
    const why = error instanceof Error ? error.message : 'unknown error';
    throw new StatusError(
      403,
      'Forbidden',
      `failed to evaluate the match conditions of webhook "${webhook.name}": ${why}`,
    );
  }
}

/** The answer; undefined where there is none and the webhook may be passed over. */
async function call(store: Store, webhook: Webhook, body: JsonObject): Promise<JsonObject | undefined> {
  let address: WebhookAddress | undefined;
  try {
    address = webhookAddress(store, webhook.clientConfig);
    const ca = caOf(webhook.clientConfig);
    const review = await callWebhook({ address, ca, timeoutMs: webhook.timeoutSeconds * 1000, body });
    if (!isObject(review['response'])) throw new Error('webhook response was absent');
    return review;
  } catch (error) {
    if (webhook.isFailOpen) return undefined;
    const why = error instanceof Error ? error.message : 'no answer';
    const where = address === undefined ? '' : `Post "${address.url}?timeout=${webhook.timeoutSeconds}s": `;
    const message = `failed calling webhook "${webhook.name}": failed to call webhook: ${where}${why}`;
    throw new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
      causes: [{ reason: '', message, field: '' }],
    });
  }
}

function caOf(clientConfig: JsonObject): string | undefined {
  const bundle = textAt(clientConfig, 'caBundle');
  return bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8');
}

function warningsOf(review: JsonObject): readonly string[] {
  const warnings = valueAt(review, 'response.warnings');
  return Array.isArray(warnings) ? warnings.filter((text): text is string => typeof text === 'string') : [];
}

/** A refusal in the webhook's words, with a code that says refused whatever the webhook says. */
function denied(name: string, status: unknown): StatusError {
  const { code, reason, message } = isObject(status) ? status : {};
  const by = `admission webhook "${name}" denied the request`;
  const words = [message, reason].find((text): text is string => typeof text === 'string' && text !== '');
  const number = typeof code === 'number' && code >= 400 ? code : 400;
  const text = words === undefined ? `${by} without explanation` : `${by}: ${words}`;
  return new StatusError(number, typeof reason === 'string' ? reason : '', text);
}
