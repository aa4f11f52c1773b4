import type { KubeObject, Secret } from '@manta/api';
import {
  type Clock,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  type JsonPatchOperation,
  type KubeClient,
  type ResourceType,
  resources,
  sleep,
} from '@manta/kube';
import type { Logger } from '@manta/runtime';
import type { ServingCertificate } from './certificate.ts';
import { type KeptCertificate, makeCertificate, whyRenew } from './kept-certificate.ts';

/** Inputs for managing the webhooks' certificate. */
export interface OwnCertificateSettings {
  readonly namespace: string;
  /** The Secret that the replicas share. */
  readonly secret: string;
  /** The Service through which the API server reaches us. */
  readonly service: string;
  readonly clusterDomain: string;
  /** The ValidatingWebhookConfiguration that has to trust us. */
  readonly configuration: string;
}

export interface OwnCertificateOptions extends OwnCertificateSettings {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Reported of the first certificate and of each new one, once the API server trusts it. */
  readonly onCertificate: (certificate: ServingCertificate) => void;
}

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly {
    readonly name: string;
    readonly clientConfig?: { readonly caBundle?: string };
  }[];
}

const CONFIGURATIONS: ResourceType<WebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  isNamespaced: false,
};
const CHECK_INTERVAL_MS = 60_000;
const RETRY_MS = 5_000;
const MANAGED_BY = 'app.kubernetes.io/managed-by';

/**
 * Keeps a self-signed certificate in a Secret, renews it in time, and writes its authority into the webhook configurations, until `signal`
 * is aborted. Every replica does this: the first writer wins, and the others use its certificate.
 */
export async function keepOwnCertificate(options: OwnCertificateOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  let served = '';
  let complaint = '';
  while (!signal.aborted) {
    let waitMs = RETRY_MS;
    try {
      const kept = await ensureCertificate(options, signal);
      if (kept !== undefined) {
        await ensureTrust(options, kept.ca, signal);
        if (kept.cert !== served) options.onCertificate(kept);
        served = kept.cert;
        complaint = '';
        waitMs = CHECK_INTERVAL_MS;
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== complaint && !signal.aborted) log.error('The webhook certificate cannot be looked after', error);
      complaint = message;
    }
    await sleep(clock, waitMs, signal).catch(() => undefined);
  }
}

/** The shared certificate, created or renewed if needed; undefined if another replica wrote it first. */
async function ensureCertificate(
  options: OwnCertificateOptions,
  signal: AbortSignal,
): Promise<KeptCertificate | undefined> {
  const { client, namespace, secret, clock, log } = options;
  const found = await orUndefined(client.get<Secret>(resources.secrets, { namespace, name: secret }, { signal }));
  const kept = found === undefined ? undefined : certificateIn(found, options);
  const names = dnsNames(options);
  const reason = kept === undefined ? 'there is none yet' : whyRenew(kept, names, clock.now());
  if (reason === undefined) return kept;
  const made = makeCertificate(names, clock.now(), kept?.ca);
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: found?.metadata ?? { name: secret, namespace, labels: { [MANAGED_BY]: 'manta' } },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(made.cert), 'tls.key': base64(made.key), 'ca.crt': base64(made.ca) },
  };
  try {
    await (found === undefined
      ? client.create<Secret>(resources.secrets, object, { signal })
      : client.update<Secret>(resources.secrets, object, { signal }));
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) return undefined;
    throw explained(error, `write the Secret ${namespace}/${secret}`);
  }
  log.info('Made a certificate for the webhooks', { secret: `${namespace}/${secret}`, reason });
  return made;
}

function certificateIn({ metadata, data = {} }: Secret, { namespace, secret }: OwnCertificateOptions): KeptCertificate {
  if (metadata?.labels?.[MANAGED_BY] !== 'manta')
    throw new Error(
      `the Secret ${namespace}/${secret} is not ours (it lacks the label ${MANAGED_BY}=manta): name another one in WEBHOOK_CERT_SECRET, or delete it`,
    );
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  return { cert: text('tls.crt'), key: text('tls.key'), ca: text('ca.crt') };
}

/** Puts the authority into every webhook of the configuration that does not have it. */
async function ensureTrust(options: OwnCertificateOptions, ca: string, signal: AbortSignal): Promise<void> {
  const { client, configuration: name, log } = options;
  const found = await client.get(CONFIGURATIONS, { name }, { signal }).catch((error: unknown) => {
    if (isNotFound(error))
      throw new Error(
        `there is no ValidatingWebhookConfiguration ${name}, so that nobody asks our webhooks: create it, or name the right one in WEBHOOK_CONFIGURATION`,
        { cause: error },
      );
    throw explained(error, `read the ValidatingWebhookConfiguration ${name}`);
  });
  const caBundle = base64(ca);
  const stale = (found.webhooks ?? []).flatMap(({ clientConfig }, i) =>
    clientConfig?.caBundle === caBundle ? [] : [i],
  );
  if (stale.length === 0) return;
  const body = stale.flatMap((i): readonly JsonPatchOperation[] => [
    // The list may have been changed meanwhile: then this fails, and is tried again.
    { op: 'test', path: `/webhooks/${i}/name`, value: found.webhooks?.[i]?.name },
    { op: 'add', path: `/webhooks/${i}/clientConfig/caBundle`, value: caBundle },
  ]);
  await client.patch(CONFIGURATIONS, { name }, { type: 'json', body }, { signal }).catch((error: unknown) => {
    throw explained(error, `patch the ValidatingWebhookConfiguration ${name}`);
  });
  log.info('The API server trusts our webhooks', { configuration: name });
}

function explained(error: unknown, what: string): Error {
  if (!isForbidden(error)) return error instanceof Error ? error : new Error(String(error));
  return new Error(`not allowed to ${what}: add what "manta rbac --profile webhook-certificates" prints`, {
    cause: error,
  });
}

function dnsNames({ service, namespace, clusterDomain }: OwnCertificateSettings): readonly string[] {
  const inside = `${service}.${namespace}.svc`;
  return [inside, `${service}.${namespace}`, service, `${inside}.${clusterDomain}`];
}

async function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw explained(error, 'read Secrets in its own namespace');
  }
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
