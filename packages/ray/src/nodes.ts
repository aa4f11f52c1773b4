import { RAY_LIMITS } from '@manta/base';
import { expectObject, type HeadCalls, type Reading, tooMany, unexpected } from './head-calls.ts';
import { isJsonObject, type JsonObject, objectOf, textOf, textsOf } from './json-fields.ts';
import type { RayNode, RayVersion } from './node-info.ts';

/** All nodes that the head remembers, dead ones included. */
export async function listNodes(calls: HeadCalls): Promise<readonly RayNode[]> {
  return await calls.json(calls.question('ListNodes', 'nodes', `/api/v0/nodes?limit=${RAY_LIMITS.nodes}`), readNodes);
}

function readNodes(reading: Reading): readonly RayNode[] {
  const list = objectOf(objectOf(expectObject(reading), 'data'), 'result')['result'];
  if (!Array.isArray(list)) throw unexpected(reading, 'has no list of nodes');
  if (list.length > RAY_LIMITS.nodes) throw tooMany(reading, 'nodes', list.length, RAY_LIMITS.nodes);
  return list.flatMap((item: unknown) => (isJsonObject(item) ? [readNode(item)] : []));
}

/** Which Ray runs on the head, and in which session. */
export async function getVersion(calls: HeadCalls): Promise<RayVersion> {
  return await calls.json(calls.question('GetVersion', 'version', '/api/version'), readVersion);
}

function readVersion(reading: Reading): RayVersion {
  const answer = expectObject(reading);
  const rayVersion = textOf(answer, 'ray_version');
  if (rayVersion === undefined) throw unexpected(reading, 'has no ray_version');
  return {
    rayVersion,
    rayCommit: textOf(answer, 'ray_commit') ?? '',
    sessionName: textOf(answer, 'session_name') ?? '',
  };
}

/** Whether the head's control store says that it is well. */
export async function isGcsHealthy(calls: HeadCalls): Promise<boolean> {
  const answer = await calls.answer(calls.question('GcsHealth', 'health', '/api/gcs_healthz'));
  return answer.status === 200 && answer.text.includes('success');
}

function readNode(node: JsonObject): RayNode {
  const ip = textOf(node, 'node_ip') ?? '';
  return {
    id: textOf(node, 'node_id') ?? '',
    ip,
    isHead: node['is_head_node'] === true,
    isAlive: textOf(node, 'state') === 'ALIVE',
    name: textOf(node, 'node_name') ?? ip,
    stateMessage: textOf(node, 'state_message'),
    labels: textsOf(objectOf(node, 'labels')),
  };
}
