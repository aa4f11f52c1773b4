/** Plays the writes of a recorded scenario on plain objects: what a validator would get to see, one state after another. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { sharedFolder } from '../support/shared-folder.ts';

export type Json = Record<string, unknown>;

export interface RayObject extends Json {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
}

interface ApplyStep {
  readonly kind?: string;
  readonly base?: string;
  readonly file?: string;
  readonly kinds?: readonly string[];
  readonly rename?: string;
  readonly merge?: Json;
  readonly ops?: readonly Op[];
  readonly expectError?: string;
}

interface PatchStep {
  readonly kind: string;
  readonly name?: string;
  readonly merge?: Json;
  readonly json?: readonly Op[];
  readonly expectError?: string;
}

interface Op {
  readonly op?: 'add' | 'replace' | 'remove' | 'copy' | 'move';
  readonly from?: string;
  readonly path: string;
  readonly value?: unknown;
}

export interface Scenario {
  readonly operator?: { readonly featureGates?: Record<string, boolean>; readonly crds?: readonly string[] };
  readonly quarantine?: string;
  readonly steps: readonly { readonly apply?: ApplyStep | readonly ApplyStep[]; readonly patch?: PatchStep }[];
}

const oracle = join(sharedFolder(), 'oracle');
const RAY_KINDS = new Set(['RayCluster', 'RayJob', 'RayService', 'RayCronJob']);

export function readScenario(path: string): Scenario {
  return parse(readFileSync(join(oracle, 'scenarios', path), 'utf8')) as Scenario;
}

/** Every state that a Ray object of the scenario takes by the scenario's own hand. */
export function* objectStates(path: string): Generator<RayObject> {
  const live = new Map<string, RayObject>();
  for (const { apply, patch } of readScenario(path).steps) {
    for (const step of [apply ?? []].flat()) {
      if (step.expectError !== undefined) continue;
      for (const object of documents(step, path)) {
        if (!RAY_KINDS.has(object.kind)) continue;
        const key = `${object.kind}/${object.metadata.name}`;
        const changed = { ...live.get(key), ...object };
        live.set(key, changed);
        yield changed;
      }
    }
    const target = patch && live.get(`${patch.kind}/${patch.name}`);
    if (!patch || !target || patch.expectError !== undefined) continue;
    const changed = jsonPatch(mergePatch(target, patch.merge ?? {}) as RayObject, patch.json ?? []);
    live.set(`${patch.kind}/${patch.name}`, changed);
    yield changed;
  }
}

function documents(step: ApplyStep, scenario: string): readonly RayObject[] {
  if (step.kind !== undefined) return [structuredClone(step) as unknown as RayObject];
  const file = step.file === undefined ? `_bases/${step.base}.yaml` : step.file;
  const folders = [join(oracle, 'scenarios', dirname(scenario)), join(oracle, 'scenarios'), join(oracle, 'data')];
  const path = [...folders, join(sharedFolder(), 'reference')].map((at) => join(at, file)).find(existsSync);
  if (path === undefined) throw new Error(`${scenario} names ${file}, which is nowhere`);
  const objects = parseAllDocuments(readFileSync(path, 'utf8')).map((each) => each.toJS() as RayObject | null);
  return objects
    .filter((object) => object !== null)
    .filter((object) => step.kinds?.includes(object.kind) ?? true)
    .map((object) => (RAY_KINDS.has(object.kind) ? rewrite(object, step) : object));
}

function rewrite(object: RayObject, { rename, merge = {}, ops = [] }: ApplyStep): RayObject {
  const named = { ...object, metadata: { ...object.metadata, ...(rename === undefined ? {} : { name: rename }) } };
  return jsonPatch(mergePatch(named, merge) as RayObject, ops);
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return structuredClone(patch);
  const result: Json = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

function jsonPatch(object: RayObject, ops: readonly Op[]): RayObject {
  const root = structuredClone(object);
  for (const { op = 'add', from = '', path, value } of ops) {
    const [source, sourceKey] = locate(root, from);
    const content: unknown = op === 'copy' || op === 'move' ? structuredClone(source[sourceKey]) : value;
    if (op === 'move') removeFrom(source, sourceKey);
    const [target, key] = locate(root, path);
    if (op === 'remove') removeFrom(target, key);
    else if (Array.isArray(target) && op !== 'replace')
      target.splice(key === '-' ? target.length : Number(key), 0, content);
    else target[key] = content;
  }
  return root;
}

function removeFrom(holder: Json, key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

/** The map or list that holds the place, made on the way where it is missing, and the key in it. */
function locate(root: Json, pointer: string): readonly [Json, string] {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = tokens.pop() ?? '';
  let at = root;
  for (const token of tokens) {
    at[token] ??= {};
    at = at[token] as Json;
  }
  return [at, last];
}

export function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
