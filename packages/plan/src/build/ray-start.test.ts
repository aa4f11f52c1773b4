import type { Quantity } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { rayStartCommand } from './ray-start.ts';
import { groupStartParams } from './start-params.ts';

const start = (node: 'head' | 'worker', params: Record<string, string>, limits: Record<string, Quantity> = {}) =>
  rayStartCommand(node, params, { name: 'ray', resources: { limits } });

describe('rayStartCommand()', () => {
  it.each<[string, string, string]>([
    ['a GPU', start('worker', {}, { 'nvidia.com/gpu': 1 }), 'ray start  --num-gpus=1 '],
    ['a slice of a GPU', start('worker', {}, { 'nvidia.com/mig-2g.32gb': '1' }), 'ray start  --num-gpus=1 '],
    ['TPUs', start('worker', {}, { 'google.com/tpu': 4 }), `ray start  --resources='{"TPU":4}' `],
    [
      'the first accelerator of several, and GPUs beside it',
      start('head', {}, { 'aws.amazon.com/neuroncore': 4, 'google.com/tpu': 8, 'nvidia.com/gpu': 1 }),
      `ray start --head  --num-gpus=1  --resources='{"neuron_cores":4}' `,
    ],
    [
      'custom resources merged with an accelerator',
      start('head', { resources: '"{"custom_resource":2}"' }, { 'aws.amazon.com/neuroncore': 4 }),
      `ray start --head  --resources='{"custom_resource":2,"neuron_cores":4}' `,
    ],
    [
      'an accelerator that the user has named himself',
      start('head', { resources: `'{"custom_resource":2,"neuron_cores":3}'` }, { 'aws.amazon.com/neuroncore': 4 }),
      `ray start --head  --resources='{"custom_resource":2,"neuron_cores":3}' `,
    ],
    [
      'names that are numbers or that HTML knows, in order, and nothing for 0',
      start('worker', { resources: `'{"b":null,"10":1,"2":3,"a<b":0.5}'` }, { 'google.com/tpu': 4 }),
      String.raw`ray start  --resources='{"10":1,"2":3,"TPU":4,"a\u003cb":0.5,"b":0}' `,
    ],
    [
      'resources that are no JSON',
      start('head', { resources: '{' }, { 'aws.amazon.com/neuroncore': 4 }),
      'ray start --head  --resources={ ',
    ],
    [
      'a boolean that must be said',
      start('head', { 'include-log-monitor': 'false' }),
      'ray start --head  --include-log-monitor=false ',
    ],
    ['a boolean that is left out', start('head', { block: 'false' }), 'ray start --head '],
    ['less than a CPU, rounded up', start('worker', {}, { cpu: '500m' }), 'ray start  --num-cpus=1 '],
    [
      'a value that a shell would split',
      start('head', { 'temp-dir': '/tmp/my ray' }),
      'ray start --head  --temp-dir="/tmp/my ray" ',
    ],
    [
      'a name that a shell would split, so that Ray says what is wrong with it',
      start('head', { 'num-cpus; id': '2', 'a b': 'true' }),
      'ray start --head  "--a b"  "--num-cpus; id"=2 ',
    ],
    [
      'a variable for the shell',
      start('head', { 'redis-password': '$REDIS_PASSWORD' }),
      'ray start --head  --redis-password=$REDIS_PASSWORD ',
    ],
    ['an unreadable quantity', start('worker', {}, { cpu: 'many' }), 'ray start '],
  ])('%s', (_, actual, expected) => {
    expect(actual).toBe(expected);
  });

  it('takes CPUs from the requests where there is no limit, but never memory', () => {
    const container = { name: 'ray', resources: { requests: { cpu: '3', memory: '1Gi' } } };
    expect(rayStartCommand('worker', {}, container)).toBe('ray start  --num-cpus=3 ');
  });
});

describe('groupStartParams()', () => {
  it.each([
    [{ cpu: '2', memory: '4Gi' }, {}, { 'num-cpus': '2', memory: '4294967296' }],
    [{ CPU: '2', GPU: '4' }, {}, { 'num-cpus': '2', 'num-gpus': '4' }],
    [{ 'nvidia.com/gpu': '1', TPU: '4' }, {}, { 'num-gpus': '1', resources: `'{"TPU":4}'` }],
    [
      { cpu: '4', 'Custom-Resource': '5', bad: 'x' },
      { 'num-cpus': '1', memory: '1000', resources: 'old' },
      { 'num-cpus': '4', memory: '1000', resources: `'{"Custom-Resource":5}'` },
    ],
    [
      {
        a: '1.5',
        b: '-2',
        c: '1Ki',
        d: '1e3',
        e: '0.3',
        f: '300m',
        g: '100u',
        h: '123456789.123456789123',
        i: '.3',
        j: '3e-1',
      },
      {},
      {
        resources: `'{"a":1.5,"b":-2,"c":1024,"d":1000,"e":0.30000000000000004,"f":0.3,"g":0.00009999999999999999,"h":123456789.12345679,"i":0.30000000000000004,"j":0.30000000000000004}'`,
      },
    ],
    [{ 10: '1', 2: '2', 'a&b': '3' }, {}, { resources: String.raw`'{"10":1,"2":2,"a\u0026b":3}'` }],
  ])('puts %j over %j', (resources, rayStartParams, expected) => {
    expect(groupStartParams({ resources, rayStartParams })).toEqual(expected);
  });

  it('joins labels in order', () => {
    expect(groupStartParams({ labels: { 'ray.io/node-group': 'g1', 'cloud.google.com/gke-spot': 'true' } })).toEqual({
      labels: 'cloud.google.com/gke-spot=true,ray.io/node-group=g1',
    });
  });
});
