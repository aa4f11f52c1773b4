import { Label, NodeType, type RayServiceSpec } from '@manta/api';
import { ApiError, resources } from '@manta/kube';
import { quietly } from '../raycluster/quietly.ts';
import type { Backstage, Move } from '../scenario.ts';
import { jump } from '../rayjob/operator-clock.ts';
import { anyStrategy, configOf, createService, isReadyPod, NAMESPACE, SERVICE, specOf, STORED } from './stage.ts';

const ref = { name: SERVICE, namespace: NAMESPACE };

/** What users do, and what happens to pods. */
export const MOVES: Readonly<Record<string, Move>> = {
  ...named(['another image', 'a better image', 'the next image'], (backstage) =>
    editCluster(backstage, `ray:${2 + backstage.choices.pick(3)}`),
  ),
  ...named(['the first image', 'back again'], (backstage) => editCluster(backstage, 'ray:1')),
  'other code': ({ client, choices }) => edit(client, { serveConfigV2: configOf(`v${1 + choices.pick(3)}`) }),
  'broken code': ({ client }) => edit(client, { serveConfigV2: configOf('broken') }),
  ...named(['code that works', 'code that works again'], ({ client }) =>
    edit(client, { serveConfigV2: configOf('v1') }),
  ),
  ...named(['another strategy', 'yet another strategy'], ({ client, choices }) =>
    editStrategy(client, anyStrategy(choices)),
  ),
  'a clock jumps forward': seldom(jump(1)),
  'a clock jumps back': seldom(jump(-1)),
  suspend: seldom(({ client }) => edit(client, { suspend: true })),
  resume: ({ client }) => edit(client, { suspend: false }),
  'delete and make anew': seldom(async (backstage) => {
    await quietly(backstage.client.delete(resources.rayServices, ref));
    createSoon(backstage);
  }),
  'lose a head': (backstage) => losePod(backstage, NodeType.Head),
  'lose a worker': (backstage) => losePod(backstage, NodeType.Worker),
  'lose the status': seldom(({ client }) =>
    quietly(
      client.patch(resources.rayServices, ref, { type: 'merge', body: { status: null } }, { subresource: 'status' }),
    ),
  ),
};

/** The more names a move has, the more often it is made. */
function named(names: readonly string[], move: Move): Readonly<Record<string, Move>> {
  return Object.fromEntries(names.map((name) => [name, move]));
}

/** What makes everything begin anew hides what would have come of it. */
function seldom(move: Move): Move {
  return async (backstage) => {
    if (backstage.choices.chance(0.3)) await move(backstage);
  };
}

/** Until the old one is gone; somebody else may be faster. */
function createSoon(backstage: Backstage): void {
  backstage.clock.setTimer(1_000, () => {
    void createService(backstage).catch((error: unknown) => {
      const isThere = error instanceof ApiError && error.reason === 'AlreadyExists';
      if (!isThere) throw error;
      if (error.message.includes('being deleted')) createSoon(backstage);
    });
  });
}

function editCluster({ client }: Backstage, image: string): Promise<void> {
  return edit(client, { rayClusterConfig: specOf({ image, code: '' }).rayClusterConfig });
}

/** What steps need goes with them. */
async function editStrategy(client: Backstage['client'], strategy: ReturnType<typeof anyStrategy>): Promise<void> {
  const body = { spec: { upgradeStrategy: { clusterUpgradeOptions: null, ...strategy } } };
  await quietly(client.patch(resources.rayServices, ref, { type: 'merge', body }));
}

async function edit(client: Backstage['client'], spec: Partial<RayServiceSpec>): Promise<void> {
  await quietly(client.patch(resources.rayServices, ref, { type: 'merge', body: { spec } }));
}

async function losePod({ api, client, choices }: Backstage, type: NodeType): Promise<void> {
  const pods = api.store
    .list(STORED.pods)
    .filter((pod) => pod.metadata.labels?.[Label.NodeType] === type && isReadyPod(pod));
  const pod = pods[choices.pick(pods.length)];
  if (pod === undefined) return;
  const options = { gracePeriodSeconds: choices.chance(0.5) ? 0 : 30 };
  await quietly(client.delete(resources.pods, { name: pod.metadata.name, namespace: NAMESPACE }, options));
}
