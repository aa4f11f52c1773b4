import type { KubeObject } from '@manta/api';
import type { KubeClient, KubeList, ListStream, ResourceType, WatchEvent } from '@manta/kube';

type Call = (...args: readonly unknown[]) => unknown;

/** Methods that take another's place; each gets the original first. */
export type Overrides = Partial<
  Record<keyof KubeClient, (original: Call, type: ResourceType, ...rest: readonly unknown[]) => unknown>
>;

/** A client some of whose methods do something else. */
export function overriding(inner: KubeClient, overrides: Overrides): KubeClient {
  return new Proxy(inner, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      const original: Call = (...args) => Reflect.apply(method, target, args);
      const override = overrides[name as keyof KubeClient];
      return override === undefined
        ? original
        : (type: ResourceType, ...rest: unknown[]) => override(original, type, ...rest);
    },
  });
}

/** What an event becomes on its way to the program; nothing where it gets lost. */
export type Lens = (event: {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}) => { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject } | undefined;

/** A client that shows objects of one kind as a lens makes them look. */
export function seeingThrough(inner: KubeClient, plural: string, lens: Lens): KubeClient {
  const show = (object: KubeObject) => {
    const seen = lens({ type: 'MODIFIED', object });
    return seen === undefined || seen.type === 'DELETED' ? undefined : seen.object;
  };
  const concerns = (type: ResourceType) => type.plural === plural;
  return overriding(inner, {
    get: async (original, type, ...rest) => {
      const object = (await original(type, ...rest)) as KubeObject;
      return concerns(type) ? (show(object) ?? object) : object;
    },
    list: async (original, type, ...rest) => {
      const list = (await original(type, ...rest)) as KubeList<KubeObject>;
      return concerns(type) ? { ...list, items: list.items.flatMap((item) => show(item) ?? []) } : list;
    },
    listStream: (original, type, ...rest) => {
      const stream = original(type, ...rest) as ListStream<KubeObject>;
      return concerns(type) ? shownStream(stream, show) : stream;
    },
    watch: (original, type, ...rest) => {
      const events = original(type, ...rest) as AsyncIterable<WatchEvent<KubeObject>>;
      return concerns(type) ? shownEvents(events, lens) : events;
    },
  });
}

function shownStream(
  stream: ListStream<KubeObject>,
  show: (object: KubeObject) => KubeObject | undefined,
): ListStream<KubeObject> {
  async function* items() {
    for await (const item of stream) {
      const shown = show(item);
      if (shown !== undefined) yield shown;
    }
  }
  return { metadata: stream.metadata, [Symbol.asyncIterator]: items };
}

async function* shownEvents(events: AsyncIterable<WatchEvent<KubeObject>>, lens: Lens) {
  for await (const event of events) {
    const shown = event.type === 'BOOKMARK' ? event : lens(event);
    if (shown !== undefined) yield shown;
  }
}
