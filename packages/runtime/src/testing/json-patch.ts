import type { JsonPatchOperation } from '@manta/kube';

/** The part of JSON patch (RFC 6902) that objects need: add, replace, remove and test. Returns undefined when a test fails. */
export function jsonPatch(target: unknown, operations: readonly JsonPatchOperation[]): unknown {
  const root = structuredClone(target);
  for (const operation of operations) {
    const path = operation.path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = path.pop() ?? '';
    let parent: unknown = root;
    for (const part of path) parent = isContainer(parent) ? Reflect.get(parent, part) : undefined;
    if (!isContainer(parent)) return undefined;
    if (!change(parent, last, operation)) return undefined;
  }
  return root;
}

function change(parent: object, name: string, operation: JsonPatchOperation): boolean {
  switch (operation.op) {
    case 'test':
      return JSON.stringify(Reflect.get(parent, name)) === JSON.stringify(operation.value);
    case 'remove':
      if (Array.isArray(parent)) parent.splice(Number(name), 1);
      else Reflect.deleteProperty(parent, name);
      return true;
    case 'add':
    case 'replace':
      if (Array.isArray(parent) && operation.op === 'add') {
        parent.splice(name === '-' ? parent.length : Number(name), 0, operation.value);
      } else Reflect.set(parent, name, operation.value);
      return true;
    default:
      return false;
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
