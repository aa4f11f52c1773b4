import type { KubeObject, RayClusterSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import type { PodRecord } from '../raycluster/observed.ts';
import { headPod, NOW, type ObservedOptions, observed, worker } from '../testing/observed.ts';
import { say } from '../testing/plan-in-words.ts';
import { type OwnPkiPlan, planOwnPki } from './own.ts';

const TLS: Partial<RayClusterSpec> = { tlsOptions: { enabled: true } };
const DAY_MS = 86_400_000;

/** A cluster and its Secrets, as plans leave them. */
class OwnPki {
  secrets: readonly KubeObject[] = [];
  now = NOW;
  #uids = 0;

  pass(options: ObservedOptions = {}): OwnPkiPlan {
    const { cluster, context, pods } = observed({ spec: TLS, gates: { RayClusterMTLS: true }, ...options });
    const installed = { certManager: false, openShift: false, ownIssuer: true };
    const plan = planOwnPki({ cluster, context, installed, pods, now: this.now, secrets: this.secrets });
    for (const { metadata } of plan.issues) {
      const others = this.secrets.filter((each) => each.metadata?.name !== metadata.name);
      this.#uids += 1;
      this.secrets = [...others, { metadata: { uid: `uid-${this.#uids}`, ...metadata, resourceVersion: '1' } }];
    }
    return plan;
  }

  /** Which certificates a pass issues. */
  issued(options: ObservedOptions = {}): readonly string[] {
    return this.pass(options).issues.map(({ whose }) => whose);
  }

  ready(options: ObservedOptions = {}): this {
    this.pass(options);
    this.pass(options);
    return this;
  }
}

describe('planOwnPki()', () => {
  it('makes an authority, then what it signs, then nothing', () => {
    const pki = new OwnPki();
    expect(pki.issued()).toEqual(['authority']);
    expect(pki.issued()).toEqual(['head', 'worker']);
    expect(pki.issued()).toEqual([]);
  });

  it('stores them under the names that pods mount', () => {
    expect(new OwnPki().ready().secrets.map(({ metadata }) => metadata?.name)).toEqual([
      'demo-ca-secret-cluster-',
      'ray-head-secret-demo',
      'ray-worker-secret-demo',
    ]);
  });

  it('covers the addresses of pods that come, and keeps what it has when they go', () => {
    const pki = new OwnPki().ready();
    const pods = [headPod({ podIP: '10.0.0.1' }), worker(0, { podIP: '10.0.0.2' })];
    expect(pki.pass({ pods }).issues).toMatchObject([
      { whose: 'head', names: { ipAddresses: ['10.0.0.1', '127.0.0.1'] } },
      { whose: 'worker', names: { ipAddresses: ['10.0.0.2', '127.0.0.1'] } },
    ]);
    expect(pki.issued({ pods: [] })).toEqual([]);
  });

  it('renews before the end, and says from when pods are out of date; for more names they are not', () => {
    const pki = new OwnPki().ready();
    pki.now += 74 * DAY_MS;
    expect(pki.issued()).toEqual([]);
    pki.now += 2 * DAY_MS;
    const { issues } = pki.pass();
    expect(issues.map(({ whose }) => whose)).toEqual(['head', 'worker']);
    const renewedAt = issues[0]?.metadata.annotations?.['ray.io/tls-renewed-at'];
    expect(Date.parse(renewedAt ?? '')).toBe(pki.now);
    pki.now += DAY_MS;
    const more = pki.pass({ pods: [worker(0, { podIP: '10.0.0.9' })] }).issues[0];
    expect(more?.metadata.annotations?.['ray.io/tls-renewed-at']).toBe(renewedAt);
  });

  it('renews in time whatever comes and goes meanwhile', () => {
    const pki = new OwnPki().ready();
    for (let day = 1; day <= 76; day += 1) {
      pki.now = NOW + day * DAY_MS;
      pki.pass({ pods: [worker(0, { podIP: `10.0.0.${day}` })] });
    }
    const { annotations } = pki.secrets.find(({ metadata }) => metadata?.name?.includes('worker'))?.metadata ?? {};
    expect(annotations?.['ray.io/tls-renewed-at']).toBe('2026-10-16T12:00:00Z');
    expect(annotations?.['ray.io/tls-former-not-after']).toBe('2026-10-30T12:00:00Z');
  });

  it('replaces what was made while the clock was ahead, the authority first', () => {
    const pki = new OwnPki();
    pki.now = NOW + 365 * DAY_MS;
    pki.ready();
    pki.now = NOW;
    expect(pki.issued()).toEqual(['authority']);
    expect(pki.issued()).toEqual(['head', 'worker']);
    expect(pki.issued()).toEqual([]);
  });

  it('has pods replaced that have a certificate which was lost', () => {
    const pki = new OwnPki().ready();
    pki.secrets = pki.secrets.filter(({ metadata }) => !metadata?.name?.includes('worker'));
    const [issue] = pki.pass({ pods: [worker(0, { podIP: '127.0.0.1', tlsAuthority: 'uid-1' })] }).issues;
    expect(issue?.metadata.annotations).toHaveProperty(['ray.io/tls-renewed-at']);
  });

  it('never lets a certificate outlive its authority, over twenty years', () => {
    const pki = new OwnPki().ready();
    const endOf = (name: RegExp) =>
      Date.parse(
        pki.secrets.find(({ metadata }) => name.test(metadata?.name ?? ''))?.metadata?.annotations?.[
          'ray.io/tls-not-after'
        ] ?? '',
      );
    for (let day = 0; day < 20 * 365; day += 5) {
      pki.now += 5 * DAY_MS;
      pki.ready();
      for (const leaf of [/head-secret/, /worker-secret/]) {
        expect(endOf(leaf)).toBeGreaterThan(pki.now + 9 * DAY_MS);
        expect(endOf(leaf)).toBeLessThanOrEqual(endOf(/ca-secret/));
      }
    }
  });

  it('signs everything anew when the authority was lost', () => {
    const pki = new OwnPki().ready();
    pki.secrets = pki.secrets.filter(({ metadata }) => !metadata?.name?.includes('-ca-secret-'));
    expect(pki.issued()).toEqual(['authority']);
    const { issues } = pki.pass();
    expect(issues.map(({ whose }) => whose)).toEqual(['head', 'worker']);
    for (const { metadata } of issues) expect(metadata.annotations).toHaveProperty(['ray.io/tls-authority-since']);
    expect(pki.issued()).toEqual([]);
  });

  it.each([
    ['a head', 'head', headPod],
    ['a worker', 'worker', (options: Partial<PodRecord>) => worker(0, options)],
  ] as const)('warns in time of %s that still has what runs out, by the end of that', (_, whose, pod) => {
    const pki = new OwnPki().ready();
    // Nobody renewed for a while: what is left is less than usual.
    pki.now += 85 * DAY_MS;
    const pods = [pod({ createdAt: NOW, podIP: '127.0.0.1', tlsAuthority: 'uid-1' })];
    expect(pki.pass({ pods }).actions).toEqual([]);
    pki.now += 4.5 * DAY_MS;
    expect(pki.pass({ pods }).actions.map(say)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Warning MTLSCertificateExpiringSoon: TLS certificate ray-${whose}-secret-demo expires in 12\\.0 hours`,
        ),
      ),
    ]);
    expect(pki.pass({ pods: [pod({ ...pods[0], isTerminating: true })] }).actions).toEqual([]);
  });

  it('makes nothing for a cluster without TLS', () => {
    expect(new OwnPki().issued({ spec: {} })).toEqual([]);
  });
});
