import { expectObject, type HeadCalls, unexpected } from './head-calls.ts';
import { isJsonObject, type JsonObject, objectOf, textOf, textsOf } from './json-fields.ts';
import type { RayNode, RayVersion } from './node-info.ts';

/** All nodes that the head remembers, dead ones included. */
export async function listNodes(calls: HeadCalls): Promise<readonly RayNode[]> {
  const call = calls.question('ListNodes', '/api/v0/nodes?limit=10000');
  const answer = expectObject(call, await calls.json(call));
  const list = objectOf(objectOf(answer, 'data'), 'result')['result'];
  if (!Array.isArray(list)) throw unexpected(call, answer, 'has no list of nodes');
  return list.flatMap((item: unknown) => (isJsonObject(item) ? [readNode(item)] : []));
}

/** Which Ray runs on the head, and in which session. */
export async function getVersion(calls: HeadCalls): Promise<RayVersion> {
  const call = calls.question('GetVersion', '/api/version');
  const answer = expectObject(call, await calls.json(call));
  const rayVersion = textOf(answer, 'ray_version');
  if (rayVersion === undefined) throw unexpected(call, answer, 'has no ray_version');
  return {
    rayVersion,
    rayCommit: textOf(answer, 'ray_commit') ?? '',
    sessionName: textOf(answer, 'session_name') ?? '',
  };
}

/** Whether the head's control store says that it is well. */
export async function isGcsHealthy(calls: HeadCalls): Promise<boolean> {
  const answer = await calls.answer(calls.question('GcsHealth', '/api/gcs_healthz', { maxBytes: 64 * 1024 }));
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
