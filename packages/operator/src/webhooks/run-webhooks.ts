import type { World } from '@manta/runtime';
import { CERTIFICATE_FOLDER, watchCertificate } from './certificate.ts';
import { startWebhookServer, type WebhookServer } from './server.ts';

export const WEBHOOK_PORT = 9443;

export interface WebhookSettings {
  readonly folder?: string;
  readonly port?: number;
}

/** Serves the webhooks, on every replica, from the moment there is a certificate until told to stop. */
export async function runWebhooks(
  world: Pick<World, 'clock' | 'log' | 'metrics'>,
  signal: AbortSignal,
  settings: WebhookSettings = {},
): Promise<void> {
  const log = world.log.named('webhooks');
  const port = settings.port ?? WEBHOOK_PORT;
  let server: Promise<WebhookServer | undefined> | undefined;
  const folder = settings.folder ?? CERTIFICATE_FOLDER;
  await watchCertificate(
    {
      ...world,
      log,
      folder,
      onCertificate: (certificate) => {
        if (server !== undefined) void server.then((running) => running?.renew(certificate));
        else
          server = startWebhookServer({ ...world, log, port, certificate }).catch((error: unknown) => {
            log.error(`Webhooks cannot be served on port ${port}: free it and restart the operator`, error);
            return undefined;
          });
      },
    },
    signal,
  );
  await (await server)?.close();
}
