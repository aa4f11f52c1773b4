import {
  admitRayCluster,
  admitRayJob,
  admitRayService,
  type InvalidStatus,
  isRecord,
  type Loose,
  type RayCluster,
  type RayJob,
  type RayService,
  warnAboutRayCluster,
  warnAboutRayJob,
  warnAboutRayService,
} from '@manta/api';

/** What one webhook does with an object, and with what it was before. */
export interface Webhook {
  readonly path: string;
  readonly admit: (object: unknown) => InvalidStatus | undefined;
  readonly warn: (object: unknown, before: unknown) => readonly string[];
}

/** The three webhooks, on the paths that existing configurations name. */
export const WEBHOOKS: readonly Webhook[] = [
  webhookFor<RayCluster>('raycluster', admitRayCluster, warnAboutRayCluster),
  webhookFor<RayJob>('rayjob', admitRayJob, warnAboutRayJob),
  webhookFor<RayService>('rayservice', admitRayService, warnAboutRayService),
];

/** The answer to a request that could be read at all; `status` is that of HTTP. */
export interface ReviewAnswer {
  readonly status: number;
  readonly body: string;
}

/** Answers an AdmissionReview. Any other body gets a 400 that names what is missing. */
export function answerReview(webhook: Webhook, text: string): ReviewAnswer {
  const review = parse(text);
  if (!isRecord(review)) return unreadable('the body is not a JSON object');
  const { apiVersion, request } = review;
  if (apiVersion !== 'admission.k8s.io/v1')
    return unreadable(`apiVersion is ${JSON.stringify(apiVersion) ?? 'missing'}, not "admission.k8s.io/v1"`);
  if (!isRecord(request) || typeof request['uid'] !== 'string') return unreadable('request.uid is missing');
  const response = { uid: request['uid'], ...judge(webhook, request) };
  return { status: 200, body: JSON.stringify({ kind: 'AdmissionReview', apiVersion, response }) };
}

/** Only creations and updates are validated: deletions are always allowed. */
function judge(webhook: Webhook, { operation, object, oldObject }: Readonly<Record<string, unknown>>): object {
  if (operation !== 'CREATE' && operation !== 'UPDATE') return { allowed: true };
  if (!isRecord(object)) return { allowed: false, status: refused('request.object is missing') };
  const status = webhook.admit(object);
  if (status !== undefined) return { allowed: false, status };
  const warnings = webhook.warn(object, operation === 'UPDATE' ? oldObject : undefined);
  return warnings.length === 0 ? { allowed: true } : { allowed: true, warnings };
}

function webhookFor<T>(
  kind: string,
  admit: (object: Loose<T>) => InvalidStatus | undefined,
  warn: (object: Loose<T>, before: Loose<T>) => readonly string[],
): Webhook {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a loose value may lack anything: both functions take it as it comes
  const loose = (object: unknown) => object as Loose<T>;
  return {
    path: `/validate-ray-io-v1-${kind}`,
    admit: (object) => admit(loose(object)),
    warn: (object, before) => warn(loose(object), loose(before)),
  };
}

function refused(message: string): object {
  return { status: 'Failure', reason: 'BadRequest', code: 400, message };
}

function unreadable(what: string): ReviewAnswer {
  return { status: 400, body: JSON.stringify(refused(`this is no AdmissionReview: ${what}`)) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
