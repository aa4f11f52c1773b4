import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ViewerAccess } from '../identity/viewer.ts';
import { callHead } from './call-head.ts';

const head = { cluster: 'c', namespace: 'a', pod: 'c-head', ip: '10.0.0.1', port: 8265 };

describe('callHead()', () => {
  it('closes a connection that opens after its viewer has left, and sends nothing', async () => {
    const left = new AbortController();
    const connection = new PassThrough();
    const dial = async () => {
      left.abort(new Error('the browser left'));
      return connection;
    };
    const call = { method: 'GET', target: '/', headers: {}, signal: left.signal } as const;
    await expect(callHead(dial, head, {} as ViewerAccess, call)).rejects.toThrow('the browser left');
    expect([connection.destroyed, connection.readableLength]).toEqual([true, 0]);
  });
});
