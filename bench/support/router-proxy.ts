import { systemClock } from '@manta/kube';
import { createProxy } from '@manta/router';

/** Our proxy in front of the backends whose ports are given. */

const [, , ...ports] = process.argv;
const proxy = createProxy({ clock: systemClock, random: Math.random });
const backends = ports.map((port, index) => ({
  key: `bench/backend-${index}:8000`,
  weight: 1,
  endpoints: [{ host: '127.0.0.1', port: Number(port), protocol: 'auto' as const }],
}));
const rule = { key: 'bench/route/0', createdAt: 0, matches: [], filters: [], backends };
proxy.setTable({ gateways: [{ ownHosts: ['gateway.bench'], hosts: [{ hostname: undefined, rules: [rule] }] }] });
const port = await proxy.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ port }));
