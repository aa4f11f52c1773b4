import type { KubeClient } from '@manta/kube';

/** A client whose every call goes through `hook`, which gets the method's name and arguments and makes the call when it likes. */
export function hookClient(
  inner: KubeClient,
  hook: (method: string, call: () => unknown, args: readonly unknown[]) => unknown,
): KubeClient {
  return new Proxy(inner, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]): unknown => hook(String(name), () => Reflect.apply(method, target, args), args);
    },
  });
}
