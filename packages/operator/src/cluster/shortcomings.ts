import { type Clock, type KubeClient, sleep } from '@manta/kube';
import type { CheckResult, Logger, MetricsRegistry } from '@manta/runtime';
import { findMissingPermissions } from '../permissions/check.ts';
import { describePermission, type Permission, summarizePermissions } from '../permissions/permission.ts';
import { findOutdatedKinds, type OutdatedKind } from './crd-age.ts';

/**
 * What this cluster does not give us: permissions, and fields of CRDs. The operator works as far as it can; this is how users learn
 * what is off and why — in the log, in `/readyz?verbose` and as metrics.
 */
export interface Shortcomings {
  /** Checks once, and again every minute while something is missing, until the signal is aborted. Never rejects. */
  watch(signal: AbortSignal): Promise<void>;
  readonly permissionsCheck: () => CheckResult;
  readonly crdsCheck: () => CheckResult;
}

export interface ShortcomingsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly wanted: readonly Permission[];
  /** Empty: all. */
  readonly namespaces: readonly string[];
}

const CHECK_INTERVAL_MS = 60_000;

export function createShortcomings(options: ShortcomingsOptions): Shortcomings {
  const { client, clock, log, metrics, wanted, namespaces } = options;
  const missingGauge = metrics.gauge(
    'manta_missing_permission',
    'A permission that the operator wants and does not have.',
  );
  const outdatedGauge = metrics.gauge('manta_outdated_crd_field', 'A field that the installed CRD does not know.');
  let missing: readonly Permission[] = [];
  let outdated: readonly OutdatedKind[] = [];

  /** Whether nothing is missing any more. */
  async function look(signal: AbortSignal): Promise<boolean> {
    const [permissions, crds] = await Promise.all([
      findMissingPermissions(client, wanted, namespaces, { signal }),
      findOutdatedKinds(client, namespaces[0] ?? 'default', { signal }),
    ]);
    reportPermissions(permissions);
    reportKinds(crds.outdated);
    return crds.isSettled && missing.length === 0 && outdated.length === 0;
  }

  function reportPermissions(found: readonly Permission[]): void {
    const known = new Set(missing.map(describePermission));
    const news = found.filter((permission) => !known.has(describePermission(permission)));
    if (news.length > 0) {
      log.warn('Permissions are missing, what needs them is off', {
        permissions: news.map(describePermission),
        neededFor: [...new Set(news.map(({ neededFor }) => neededFor))],
        hint: 'manta rbac prints the ClusterRole that the operator needs',
      });
    }
    if (missing.length > 0 && found.length === 0) log.info('All permissions are there now');
    missing = found;
    missingGauge.remove({});
    for (const permission of found) {
      const { verb, group, resource, subresource = '', neededFor, namespace = '' } = permission;
      missingGauge.set({ verb, group, resource, subresource, namespace, needed_for: neededFor }, 1);
    }
  }

  function reportKinds(found: readonly OutdatedKind[]): void {
    const known = new Set(outdated.map(({ kind }) => kind));
    for (const { kind, unknownFields } of found) {
      if (known.has(kind)) continue;
      const hint = 'manta crds apply installs ours; until then these fields are ignored';
      log.warn('The installed CRD is older than ours', { kind, unknownFields, hint });
    }
    outdated = found;
    outdatedGauge.remove({});
    for (const { kind, unknownFields } of found) {
      for (const field of unknownFields) outdatedGauge.set({ kind, field }, 1);
    }
  }

  return {
    async watch(signal) {
      while (!signal.aborted) {
        try {
          if (await look(signal)) return;
        } catch (error) {
          if (!signal.aborted) log.warn('Cannot ask the API server what we may do', { error: String(error) });
        }
        await sleep(clock, CHECK_INTERVAL_MS, signal).catch(() => undefined);
      }
    },
    permissionsCheck: () => ({
      isOk: true,
      note: missing.length === 0 ? undefined : `missing: ${summarizePermissions(missing)}`,
    }),
    crdsCheck: () => ({
      isOk: true,
      note:
        outdated.length === 0
          ? undefined
          : `older than ours: ${outdated.map(({ kind, unknownFields }) => `${kind} lacks ${unknownFields.join(', ')}`).join('; ')}`,
    }),
  };
}
