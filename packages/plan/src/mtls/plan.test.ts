import type { RayClusterSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import type { Action } from '../plan.ts';
import { headPod, NOW, type ObservedOptions, observed, worker } from '../testing/observed.ts';
import { say } from '../testing/plan-in-words.ts';
import type { Certificate } from './cert-manager.ts';
import { type ObservedPki, planPki } from './plan.ts';

const TLS: Partial<RayClusterSpec> = { tlsOptions: { enabled: true } };

function pki(options: ObservedOptions = {}, rest: Partial<ObservedPki> = {}): ObservedPki {
  const { cluster, context, pods, now } = observed({ spec: TLS, gates: { RayClusterMTLS: true }, ...options });
  const installed = { certManager: true, openShift: false };
  return { cluster, context, installed, pods, now, issuers: [], certificates: [], secrets: [], ...rest };
}

/** Everything as the first plan makes it, with uids and generations. */
function made(options: ObservedOptions = {}): Pick<ObservedPki, 'issuers' | 'certificates'> {
  const objects = (kind: string) =>
    planPki(pki(options))
      .actions.flatMap((action) => (action.type === 'create' && action.kind === kind ? action.objects : []))
      .map((object) => ({
        ...object,
        metadata: { ...object.metadata, uid: `uid-${object.metadata?.name}`, generation: 1 },
      }));
  return { issuers: objects('Issuer'), certificates: objects('Certificate') };
}

const issued = (certificate: Certificate, observedGeneration = 1, notAfter = '2026-10-01T00:00:00Z'): Certificate => ({
  ...certificate,
  status: { conditions: [{ type: 'Ready', status: 'True', observedGeneration }], notAfter },
});

function afterIssue(change: Partial<ObservedPki> = {}, options: ObservedOptions = {}) {
  const { issuers, certificates } = made();
  return planPki(pki(options, { issuers, certificates: certificates.map((each) => issued(each)), ...change }));
}

const words = (actions: readonly Action[]) => actions.map(say);
const READY = 'Normal MTLSPKIReady: mTLS PKI is ready: CA, head, and worker certificates issued';
const NOT_READY = 'Normal MTLSCertsNotReady: Waiting for cert-manager to issue mTLS certificates';

describe('planPki()', () => {
  it('asks for an authority and two certificates, from the root down', () => {
    const { actions, requeueAfterMs } = planPki(pki());
    expect(words(actions)).toEqual([
      'create Issuer ray-selfsigned-issuer-demo',
      'create Certificate ray-ca-certificate-demo',
      'create Issuer ray-ca-issuer-demo',
      'create Certificate ray-head-cert-demo',
      'create Certificate ray-worker-cert-demo',
      NOT_READY,
    ]);
    expect(requeueAfterMs).toBe(30_000);
  });

  it('waits for certificates that are not issued as they are asked for now', () => {
    const { issuers, certificates } = made();
    const old = certificates.map((each) => issued({ ...each, metadata: { ...each.metadata, generation: 2 } }));
    expect(words(planPki(pki({}, { issuers, certificates: old })).actions)).toEqual([NOT_READY]);
  });

  it('says when all are issued, and looks again now and then', () => {
    const { actions, requeueAfterMs } = afterIssue();
    expect(words(actions)).toEqual([READY]);
    expect(requeueAfterMs).toBe(60_000);
  });

  it('names the pods that have come, each on the certificate of its kind', () => {
    const pods = [headPod({ podIP: '10.0.0.1' }), worker(0, { podIP: '10.0.0.2' }), worker(1, { podIP: '10.0.0.3' })];
    const { actions } = afterIssue({}, { pods });
    expect(actions.slice(0, 2)).toMatchObject([
      {
        type: 'update',
        object: {
          spec: {
            dnsNames: ['demo-head-svc.ml.svc.cluster.local', 'localhost'],
            ipAddresses: ['10.0.0.1', '127.0.0.1'],
          },
        },
        done: { note: 'Updated head certificate SANs (IPs: [10.0.0.1 127.0.0.1])' },
      },
      {
        type: 'update',
        object: { spec: { dnsNames: ['localhost'], ipAddresses: ['10.0.0.2', '10.0.0.3', '127.0.0.1'] } },
        done: { reason: 'MTLSCertificatesUpdated' },
      },
    ]);
  });

  it('keeps what others have added to a certificate', () => {
    const privateKey = { algorithm: 'ECDSA' };
    const certificates = made().certificates.map((each: Certificate) => ({
      ...each,
      spec: { ...each.spec, privateKey },
    }));
    expect(words(afterIssue({ certificates: certificates.map((each) => issued(each)) }).actions)).toEqual([READY]);
    const [update] = afterIssue({ certificates }, { pods: [headPod({ podIP: '10.0.0.1' })] }).actions;
    expect(update).toMatchObject({ type: 'update', object: { spec: { privateKey } } });
  });

  it('leaves out pods that are going, have ended, or have no address', () => {
    const pods = [
      headPod({ podIP: '' }),
      worker(0, { podIP: '10.0.0.2', isTerminating: true }),
      worker(1, { podIP: '10.0.0.3', phase: 'Failed' }),
    ];
    expect(words(afterIssue({}, { pods }).actions)).toEqual([READY]);
  });

  it('lets a Secret go with its Certificate', () => {
    const annotations = { 'cert-manager.io/certificate-name': 'ray-head-cert-demo' };
    const secret = {
      metadata: { name: 'ray-head-secret-demo', namespace: 'ml', annotations },
      data: { 'tls.key': 'c2VjcmV0' },
    };
    const [action] = afterIssue({ secrets: [secret] }).actions;
    expect(action).toMatchObject({
      type: 'update',
      kind: 'Secret',
      object: {
        metadata: {
          ownerReferences: [{ apiVersion: 'cert-manager.io/v1', kind: 'Certificate', name: 'ray-head-cert-demo' }],
        },
        data: secret.data,
      },
    });
  });

  it.each(['', 'another'])('takes no Secret over that cert-manager has issued for "%s"', (issuedFor) => {
    const annotations = { 'cert-manager.io/certificate-name': issuedFor };
    const secret = { metadata: { name: 'ray-head-secret-demo', namespace: 'ml', annotations } };
    expect(words(afterIssue({ secrets: [secret] }).actions)).toEqual([READY]);
  });

  it('warns of a certificate that runs out within a day', () => {
    const { issuers, certificates } = made();
    const soon = new Date(NOW + 5.5 * 3_600_000).toISOString();
    const running = certificates.map((each) => issued(each, 1, soon));
    expect(words(planPki(pki({}, { issuers, certificates: running })).actions)).toContain(
      'Warning MTLSCertificateExpiringSoon: TLS certificate ray-head-cert-demo expires in 5.5 hours; Ray does not hot-reload certs so a pod restart will be needed after renewal',
    );
  });

  it.each<[string, ObservedOptions]>([
    ['does not ask for TLS', { spec: {} }],
    ['is being deleted', { metadata: { deletionTimestamp: '2026-08-01T12:00:00Z' } }],
    ['is managed by somebody else', { spec: { ...TLS, managedBy: 'kueue.x-k8s.io/multikueue' } }],
    ['is refused', { spec: { ...TLS, headGroupSpec: { template: { spec: { containers: [] } } } } }],
    ['asks for TLS where its gate is off', { gates: { RayClusterMTLS: false } }],
  ])('makes nothing for a cluster that %s', (_, options) => {
    expect(planPki(pki(options)).actions).toEqual([]);
  });
});
