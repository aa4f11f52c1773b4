import { type Environment, OperatorEnvName } from '@manta/api';
import type { WebhookSettings } from './run-webhooks.ts';

/** The name of the Service in manifests that use webhooks. */
const DEFAULT_SERVICE = 'kuberay-webhook-service';
/** What our charts and manifests call the configuration. */
const DEFAULT_CONFIGURATION = 'kuberay-operator-webhooks';

/** The webhooks' address and the source of their certificate. `namespace` is the operator's own, if known. */
export function readWebhookSettings(
  env: Environment,
  clusterDomain: string,
  namespace: string | undefined,
): WebhookSettings {
  const { WEBHOOK_CERT_DIR: folder, WEBHOOK_PORT: port } = env;
  const secret = env[OperatorEnvName.WebhookCertSecret];
  const own = secret && {
    secret,
    namespace: namespace ?? 'default',
    clusterDomain,
    service: env['WEBHOOK_SERVICE'] || DEFAULT_SERVICE,
    configuration: env['WEBHOOK_CONFIGURATION'] || DEFAULT_CONFIGURATION,
  };
  return {
    ...(folder ? { folder } : {}),
    ...(port && /^\d+$/.test(port) ? { port: Number(port) } : {}),
    ...(own ? { own } : {}),
  };
}
