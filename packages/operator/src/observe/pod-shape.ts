import { type Field, METADATA, type Shape, shapeOf } from '@manta/kube';

/** All that {@link podRecord} reads of a pod, by the numbers of Kubernetes' `core/v1` protobuf messages. */
export const POD_SHAPE: Shape = shapeOf({
  1: METADATA,
  2: { name: 'spec', type: 'message', shape: specShape() },
  3: { name: 'status', type: 'message', shape: statusShape() },
});

function specShape(): Shape {
  const secretName: Shape = shapeOf({
    1: { name: 'localObjectReference', type: 'inline', shape: shapeOf({ 1: text('name') }) },
  });
  const valueFrom = shapeOf({ 4: { name: 'secretKeyRef', type: 'message', shape: secretName } });
  const env = shapeOf({ 3: { name: 'valueFrom', type: 'message', shape: valueFrom } });
  const container = shapeOf({ 1: text('name'), 7: { name: 'env', type: 'messages', shape: env } });
  return shapeOf({
    2: { name: 'containers', type: 'messages', shape: container },
    3: text('restartPolicy'),
    8: text('serviceAccountName'),
    10: text('nodeName'),
    20: { name: 'initContainers', type: 'messages', shape: container },
  });
}

function statusShape(): Shape {
  const condition = shapeOf({ 1: text('type'), 2: text('status'), 5: text('reason'), 6: text('message') });
  const waiting = shapeOf({ 1: text('reason'), 2: text('message') });
  const terminated = shapeOf({
    1: { name: 'exitCode', type: 'whole' },
    2: { name: 'signal', type: 'whole' },
    3: text('reason'),
    4: text('message'),
    5: { name: 'startedAt', type: 'time' },
    6: { name: 'finishedAt', type: 'time' },
    7: text('containerID'),
  });
  const state = shapeOf({
    1: { name: 'waiting', type: 'message', shape: waiting },
    3: { name: 'terminated', type: 'message', shape: terminated },
  });
  const container = shapeOf({
    1: text('name'),
    2: { name: 'state', type: 'message', shape: state },
    3: { name: 'lastState', type: 'message', shape: state },
    5: { name: 'restartCount', type: 'whole' },
    6: text('image'),
  });
  return shapeOf({
    1: text('phase'),
    2: { name: 'conditions', type: 'messages', shape: condition },
    4: text('reason'),
    6: text('podIP'),
    8: { name: 'containerStatuses', type: 'messages', shape: container },
    10: { name: 'initContainerStatuses', type: 'messages', shape: container },
  });
}

function text(name: string): Field {
  return { name, type: 'text' };
}
