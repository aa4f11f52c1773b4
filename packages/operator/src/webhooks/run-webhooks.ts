import type { World } from '@manta/runtime';
import { CERTIFICATE_FOLDER, type ServingCertificate, watchCertificate } from './certificate.ts';
import { keepOwnCertificate, type OwnCertificateSettings } from './own-certificate.ts';
import { startWebhookServer, type WebhookServer } from './server.ts';

export const WEBHOOK_PORT = 9443;

export interface WebhookSettings {
  readonly folder?: string;
  readonly port?: number;
  /** Absent: another program, e.g. cert-manager, writes certificates into the folder. */
  readonly own?: OwnCertificateSettings;
}

/** Serves the webhooks, on every replica, from the time a certificate exists until `stop` is aborted. */
export async function runWebhooks(
  world: Pick<World, 'client' | 'clock' | 'log' | 'metrics'>,
  signal: AbortSignal,
  { folder = CERTIFICATE_FOLDER, port = WEBHOOK_PORT, own }: WebhookSettings = {},
): Promise<void> {
  const log = world.log.named('webhooks');
  let server: Promise<WebhookServer | undefined> | undefined;
  const onCertificate = (certificate: ServingCertificate) => {
    if (server !== undefined) void server.then((running) => running?.renew(certificate));
    else
      server = startWebhookServer({ ...world, log, port, certificate }).catch((error: unknown) => {
        log.error(`Webhooks cannot be served on port ${port}: free it and restart the operator`, error);
        return undefined;
      });
  };
  if (own === undefined) await watchCertificate({ ...world, log, folder, onCertificate }, signal);
  else await keepOwnCertificate({ ...world, ...own, log, onCertificate }, signal);
  await (await server)?.close();
}
