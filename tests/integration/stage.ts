import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { crds } from '@manta/api/crds';
import {
  createKubeClient,
  createTransport,
  type KubeClient,
  loadConnection,
  systemClock,
  type Transport,
} from '@manta/kube';
import { clusterRole } from '@manta/operator';
import { eventually } from '../conformance/support/eventually.ts';
import { type OpenTarget, openTarget, type ServerAccess } from '../conformance/support/http-target.ts';
import type { Target } from '../conformance/support/target.ts';
import { kubeconfigText } from '../support/kubeconfig-text.ts';

export type Rules = ReturnType<typeof clusterRole>['rules'];

/** Somebody who may do what a role of his own says, with our client in his name. */
export interface Person {
  readonly client: KubeClient;
  /** What the client sends with, in the same name. */
  readonly transport: Transport;
  /** From now on he may do this, and nothing else; resolves when the server knows. */
  permit(rules: Rules): Promise<void>;
}

/** A server, an administrator, and room for tests that keep apart by namespace. */
export interface Stage {
  readonly name: ServerAccess['name'];
  readonly target: Target;
  readonly admin: KubeClient;
  /** A user bound to what `manta rbac` prints. */
  operatorUser(): Promise<Person>;
  close(): Promise<void>;
}

const RBAC = 'rbac.authorization.k8s.io';

/** Installs our CRDs and gives the stage. */
export async function openStage(access: ServerAccess): Promise<Stage> {
  const open: OpenTarget = openTarget(access);
  const { target } = open;
  const folder = mkdtempSync(join(tmpdir(), 'manta-integration-'));
  const closers: (() => Promise<void>)[] = [];

  const connect = async (user: string, groups: readonly string[] = []) => {
    const credentials = { url: access.url, ca: access.caCert, ...access.issue({ name: user, groups }) };
    const path = join(folder, `${user}.kubeconfig`);
    writeFileSync(path, kubeconfigText({ ...credentials, user }), { mode: 0o600 });
    // By the program's name the server remembers who wrote which field.
    const userAgent = groups.length === 0 ? 'kuberay-operator/test' : 'kubectl/test';
    const connection = await loadConnection({ kubeconfig: path });
    const transport = createTransport({ connection, clock: systemClock, userAgent });
    closers.push(() => transport.close());
    return { transport, client: createKubeClient({ transport, clock: systemClock }) };
  };
  await installCrds(target);
  return {
    name: access.name,
    target,
    admin: (await connect('integration-admin', ['system:masters'])).client,
    operatorUser: () => makeOperatorUser(target, connect),
    close: async () => {
      await Promise.all(closers.map((close) => close()));
      open.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function makeOperatorUser(
  target: Target,
  connect: (user: string) => Promise<Pick<Person, 'client' | 'transport'>>,
): Promise<Person> {
  const name = target.unique('operator');
  const role = { metadata: { name }, rules: clusterRole([]).rules };
  await target.must('POST', `/apis/${RBAC}/v1/clusterroles`, role);
  await target.must('POST', `/apis/${RBAC}/v1/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: RBAC, kind: 'User', name }],
  });
  return {
    ...(await connect(name)),
    async permit(rules) {
      const marker = { apiGroups: ['manta.test'], resources: [target.unique('marker')], verbs: ['get'] };
      await target.must('PATCH', `/apis/${RBAC}/v1/clusterroles/${name}`, { rules: [...rules, marker] }, MERGE);
      await eventually('the role to be known', async () =>
        (await isHeld(target.as({ name }), marker)) ? true : undefined,
      );
    },
  };
}

const MERGE = { 'content-type': 'application/merge-patch+json' };

/** Servers learn of roles by watching; the last rule tells that they have. */
async function isHeld(asUser: Target, rule: Rules[number]): Promise<boolean> {
  const [group] = rule.apiGroups;
  const [resource] = rule.resources;
  const spec = { resourceAttributes: { group, resource, verb: 'get' } };
  const answer = await asUser.must('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec });
  return answer.status['allowed'] === true;
}

async function installCrds(target: Target): Promise<void> {
  for (const crd of crds()) {
    const answer = await target.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    if (answer.status !== 201 && answer.status !== 409) throw new Error(answer.text);
  }
  for (const { metadata } of crds()) {
    await eventually(`${metadata?.name} to be served`, async () => {
      const path = `/apis/ray.io/v1/${metadata?.name?.split('.')[0]}`;
      return (await target.request('GET', path)).status === 200 ? true : undefined;
    });
  }
}

/** Waits until a check gives something; `what` and the last answer are told when it never does. */
export async function until<T>(what: string, probe: () => Promise<T | undefined>, patienceMs = 60_000): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`waited ${patienceMs / 1000} s in vain for ${what}`);
    await pause(50);
  }
}
