import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { type Clock, sleep } from '@manta/kube';
import type { Logger, MetricsRegistry } from '@manta/runtime';

/** The default folder of mounted certificates. */
export const CERTIFICATE_FOLDER = '/tmp/k8s-webhook-server/serving-certs';

/** A key and the certificates that prove it. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
}

const CHECK_INTERVAL_MS = 10_000;

export interface CertificateWatchOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** Reported of the first certificate and of each new one, never of one that cannot be used. */
  readonly onCertificate: (certificate: ServingCertificate) => void;
}

/**
 * Reads `tls.crt` and `tls.key`, and polls for new ones, which cert-manager writes before the old ones expire, until `signal` is aborted. If
 * the files do not exist yet, logs that once and waits: a missing certificate must not stop the controllers.
 */
export async function watchCertificate(options: CertificateWatchOptions, signal: AbortSignal): Promise<void> {
  const { folder, clock, log, metrics } = options;
  const reads = metrics.counter('certwatcher_read_certificate_total', 'Total number of certificate reads');
  const errors = metrics.counter(
    'certwatcher_read_certificate_errors_total',
    'Total number of certificate read errors',
  );
  let current: ServingCertificate | undefined;
  let complaint = '';
  let hasExpired = false;
  while (!signal.aborted) {
    reads.add({});
    try {
      const next = await readCertificate(folder);
      complaint = '';
      if (next.cert !== current?.cert || next.key !== current.key) {
        current = next;
        hasExpired = false;
        options.onCertificate(next);
        log.info('Serving webhooks', { certificateExpires: expiryOf(next).toISOString() });
      }
      if (!hasExpired && expiryOf(next).getTime() <= clock.now()) {
        hasExpired = true;
        log.warn(
          `${join(folder, 'tls.crt')} has expired: the API server refuses it; renew it and its key there, or have the operator make one (WEBHOOK_CERT_SECRET)`,
          { certificateExpired: expiryOf(next).toISOString() },
        );
      }
    } catch (error) {
      errors.add({});
      const message = error instanceof Error ? error.message : String(error);
      if (message !== complaint) log.error('The webhook certificate cannot be used', error, { folder });
      complaint = message;
    }
    await sleep(clock, CHECK_INTERVAL_MS, signal).catch(() => undefined);
  }
}

function expiryOf({ cert }: ServingCertificate): Date {
  return new X509Certificate(cert).validToDate;
}

async function readCertificate(folder: string): Promise<ServingCertificate> {
  // Sequentially, so that of two missing files the same one is named each time: a repeated error is logged once.
  const cert = await readPart(folder, 'tls.crt');
  const key = await readPart(folder, 'tls.key');
  try {
    // Throws if certificate and key do not match, e.g. while they are being replaced.
    createSecureContext({ cert, key });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`tls.crt and tls.key in ${folder} cannot be used together: ${reason}`, { cause: error });
  }
  return { cert, key };
}

async function readPart(folder: string, name: string): Promise<string> {
  try {
    return await readFile(join(folder, name), 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const reason = missing
      ? 'is missing'
      : `cannot be read (${error instanceof Error ? error.message : String(error)})`;
    throw new Error(
      `${join(folder, name)} ${reason}: mount the webhook's certificate there, have the operator make one (WEBHOOK_CERT_SECRET), or unset ENABLE_WEBHOOKS`,
      { cause: error },
    );
  }
}
