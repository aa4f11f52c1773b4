import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { textAt, valueAt } from '../registry/json-path.ts';

/** One webhook of a ValidatingWebhookConfiguration, with the defaults filled in. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: JsonObject;
  readonly rules: readonly WebhookRule[];
  readonly isFailOpen: boolean;
  readonly timeoutSeconds: number;
  readonly namespaceSelector: Json;
  readonly objectSelector: Json;
  /** Whether it may be called in a dry run. */
  readonly isSideEffectFree: boolean;
  /** CEL expressions that must all hold for the webhook to be asked. */
  readonly matchConditions: readonly JsonObject[];
}

export interface WebhookRule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly scope: string;
}

/** The webhooks of a configuration. */
export function webhooksOf(configuration: JsonObject): readonly Webhook[] {
  const { webhooks } = configuration;
  return Array.isArray(webhooks) ? webhooks.filter(isObject).map(webhookOf) : [];
}

function webhookOf(webhook: JsonObject): Webhook {
  const timeout = webhook['timeoutSeconds'];
  const sideEffects = textAt(webhook, 'sideEffects');
  const { rules } = webhook;
  return {
    name: textAt(webhook, 'name'),
    clientConfig: isObject(webhook['clientConfig']) ? webhook['clientConfig'] : {},
    rules: Array.isArray(rules) ? rules.filter(isObject).map(ruleOf) : [],
    isFailOpen: webhook['failurePolicy'] === 'Ignore',
    timeoutSeconds: typeof timeout === 'number' ? timeout : 10,
    namespaceSelector: webhook['namespaceSelector'] ?? {},
    objectSelector: webhook['objectSelector'] ?? {},
    isSideEffectFree: sideEffects === 'None' || sideEffects === 'NoneOnDryRun',
    matchConditions: Array.isArray(webhook['matchConditions']) ? webhook['matchConditions'].filter(isObject) : [],
  };
}

function ruleOf(rule: JsonObject): WebhookRule {
  return {
    operations: texts(rule, 'operations'),
    apiGroups: texts(rule, 'apiGroups'),
    apiVersions: texts(rule, 'apiVersions'),
    resources: texts(rule, 'resources'),
    scope: textAt(rule, 'scope') || '*',
  };
}

function texts(object: JsonObject, path: string): readonly string[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
