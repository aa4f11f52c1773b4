import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parse } from 'yaml';

/** Reads answers without decoding them, so that next to nothing but the server is measured. */
export interface RawReader {
  /** Reads an answer to its end; resolves with its size in bytes. */
  bytes(path: string): Promise<number>;
  /** Follows a watch; calls back with how many events have come. Resolves when the server has answered. */
  follow(path: string, seen: (events: number) => void): Promise<void>;
  close(): void;
}

/** A reader with the identity of a kubeconfig that has its certificates inline. */
export function rawReader(kubeconfig: string): RawReader {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8'));
  const decoded = (base64: string) => Buffer.from(base64, 'base64');
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  const agent = new Agent({
    keepAlive: true,
    ca: decoded(cluster['certificate-authority-data']),
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
  });
  const open = (path: string, onChunk: (chunk: Buffer) => void, onEnd?: () => void) =>
    new Promise<void>((answered, fail) => {
      const call = request(new URL(path, cluster.server), { agent }, (response) => {
        response.on('data', onChunk);
        response.on('error', () => undefined);
        response.on('end', () => onEnd?.());
        if (response.statusCode === 200) answered();
        else fail(new Error(`GET ${path}: ${response.statusCode}`));
      });
      call.on('error', fail);
      call.end();
    });
  return {
    bytes: (path) =>
      new Promise((done, fail) => {
        let size = 0;
        open(
          path,
          (chunk) => (size += chunk.length),
          () => done(size),
        ).catch(fail);
      }),
    follow(path, seen) {
      let events = 0;
      return open(path, (chunk) => {
        for (const byte of chunk) if (byte === NEWLINE) events += 1;
        seen(events);
      });
    },
    close: () => agent.destroy(),
  };
}

const NEWLINE = 10;
