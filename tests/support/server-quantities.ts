import type { PlaneClient } from './plane-client.ts';

const capacitiesPerDevice = 32;
const devicesPerSlice = 64;

/** The most quantities that one question may hold. */
export const quantitiesPerRequest = capacitiesPerDevice * devicesPerSlice;

/** What a real API server makes of quantities: their texts as it writes them, or why it refused them all. */
export type ServerQuantities =
  | { readonly accepted: true; readonly texts: readonly string[] }
  | { readonly accepted: false; readonly reason: string };

interface Slice {
  readonly spec: { readonly devices: readonly { readonly capacity: Readonly<Record<string, { value: string }>> }[] };
}

/**
 * Asks an API server how it writes quantities, without leaving anything behind. A ResourceSlice takes any quantity in
 * large numbers; a Pod would round its resources to thousandths.
 */
export async function askForQuantities(
  plane: Pick<PlaneClient, 'request'>,
  texts: readonly string[],
): Promise<ServerQuantities> {
  const devices = Array.from({ length: Math.ceil(texts.length / capacitiesPerDevice) }, (_, device) => {
    const first = device * capacitiesPerDevice;
    const some = texts.slice(first, first + capacitiesPerDevice);
    return { name: `d${device}`, capacity: Object.fromEntries(some.map((value, i) => [`c${first + i}`, { value }])) };
  });
  const answer = await plane.request('POST', '/apis/resource.k8s.io/v1/resourceslices?dryRun=All', {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 'quantities' },
    spec: {
      driver: 'quantities.example.com',
      nodeName: 'none',
      pool: { name: 'none', generation: 1, resourceSliceCount: 1 },
      devices,
    },
  });
  if (answer.status !== 201) return { accepted: false, reason: reasonOf(answer.text) };
  const slice = answer.body as Slice;
  const capacity = Object.assign({}, ...slice.spec.devices.map((device) => device.capacity));
  return { accepted: true, texts: texts.map((_, i) => capacity[`c${i}`].value) };
}

function reasonOf(status: string): string {
  const { message } = JSON.parse(status) as { message: string };
  return message.replace(/^.*cannot be handled as a ResourceSlice: /, '');
}
