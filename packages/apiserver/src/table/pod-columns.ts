import { isObject, type JsonObject } from '../object/json.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import type { CellContext, PrinterColumn } from '../registry/printer-column.ts';
import { AGE, ageOf, column, NONE, numberAt, objectsAt, wide } from './column.ts';

/** What one line says of a pod. */
interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart: string;
}

/** The columns of pods. */
export const POD_COLUMNS: readonly PrinterColumn[] = [
  column('Ready', (pod) => `${summaryOf(pod).ready}/${summaryOf(pod).total}`),
  column('Status', (pod) => summaryOf(pod).reason),
  column('Restarts', (pod, context) => restartsText(summaryOf(pod), context)),
  AGE,
  wide('IP', (pod) => textAt(pod, 'status.podIP') || NONE),
  wide('Node', (pod) => textAt(pod, 'spec.nodeName') || NONE),
  wide('Nominated Node', (pod) => textAt(pod, 'status.nominatedNodeName') || NONE),
  wide('Readiness Gates', readinessGates),
];

const known = new WeakMap<JsonObject, PodSummary>();

function summaryOf(pod: JsonObject): PodSummary {
  let summary = known.get(pod);
  if (summary === undefined) {
    summary = summarize(pod);
    known.set(pod, summary);
  }
  return summary;
}

interface Tally {
  ready: number;
  reason: string;
  restarts: number;
  lastRestart: string;
}

function summarize(pod: JsonObject): PodSummary {
  const inits = objectsAt(pod, 'spec.initContainers');
  const sidecars = new Set(inits.filter((each) => each['restartPolicy'] === 'Always').map((each) => each['name']));
  const tally: Tally = { ready: 0, reason: startReason(pod), restarts: 0, lastRestart: '' };
  const isInitializing = tallyInits(pod, tally, sidecars, inits.length);
  if (!isInitializing || hasCondition(pod, 'Initialized')) tallyContainers(pod, tally, sidecars);
  const total = objectsAt(pod, 'spec.containers').length + sidecars.size;
  return { ...tally, total, reason: endReason(pod, tally.reason) };
}

function startReason(pod: JsonObject): string {
  const gated = objectsAt(pod, 'status.conditions').find(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  if (gated !== undefined) return 'SchedulingGated';
  return textAt(pod, 'status.reason') || textAt(pod, 'status.phase');
}

function endReason(pod: JsonObject, reason: string): string {
  if (valueAt(pod, 'metadata.deletionTimestamp') === undefined) return reason;
  if (textAt(pod, 'status.reason') === 'NodeLost') return 'Unknown';
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase')) ? reason : 'Terminating';
}

/** Says which init container a pod waits for; true while it does. */
function tallyInits(pod: JsonObject, tally: Tally, sidecars: ReadonlySet<unknown>, count: number): boolean {
  for (const [index, status] of objectsAt(pod, 'status.initContainerStatuses').entries()) {
    countRestarts(tally, status);
    const isSidecar = sidecars.has(status['name']);
    const terminated = valueAt(status, 'state.terminated');
    if (isObject(terminated) && numberAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar && status['started'] === true) {
      if (status['ready'] === true) tally.ready += 1;
      continue;
    }
    const waiting = textAt(status, 'state.waiting.reason');
    if (isObject(terminated)) tally.reason = `Init:${terminatedReason(terminated)}`;
    else if (waiting !== '' && waiting !== 'PodInitializing') tally.reason = `Init:${waiting}`;
    else tally.reason = `Init:${index}/${count}`;
    return true;
  }
  return false;
}

function tallyContainers(pod: JsonObject, tally: Tally, sidecars: ReadonlySet<unknown>): void {
  const inits = objectsAt(pod, 'status.initContainerStatuses').filter(({ name }) => sidecars.has(name));
  tally.restarts = inits.reduce((sum, status) => sum + numberAt(status, 'restartCount'), 0);
  let hasRunning = false;
  for (const status of objectsAt(pod, 'status.containerStatuses').toReversed()) {
    countRestarts(tally, status);
    const waiting = textAt(status, 'state.waiting.reason');
    const terminated = valueAt(status, 'state.terminated');
    if (waiting !== '') tally.reason = waiting;
    else if (isObject(terminated)) tally.reason = terminatedReason(terminated);
    else if (status['ready'] === true && valueAt(status, 'state.running') !== undefined) {
      hasRunning = true;
      tally.ready += 1;
    }
  }
  if (tally.reason === 'Completed' && hasRunning) tally.reason = hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
}

function countRestarts(tally: Tally, status: JsonObject): void {
  tally.restarts += numberAt(status, 'restartCount');
  const at = textAt(status, 'lastState.terminated.finishedAt');
  if (at > tally.lastRestart) tally.lastRestart = at;
}

function terminatedReason(terminated: JsonObject): string {
  const signal = numberAt(terminated, 'signal');
  const code = signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
  return textAt(terminated, 'reason') || code;
}

function hasCondition(pod: JsonObject, wanted: string): boolean {
  return objectsAt(pod, 'status.conditions').some(({ type, status }) => type === wanted && status === 'True');
}

function restartsText({ restarts, lastRestart }: PodSummary, context: CellContext): string {
  return restarts === 0 || lastRestart === '' ? String(restarts) : `${restarts} (${ageOf(lastRestart, context)} ago)`;
}

function readinessGates(pod: JsonObject): string {
  const gates = objectsAt(pod, 'spec.readinessGates');
  if (gates.length === 0) return NONE;
  const passed = gates.filter((gate) => hasCondition(pod, textAt(gate, 'conditionType')));
  return `${passed.length}/${gates.length}`;
}
