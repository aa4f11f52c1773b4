import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedCrds } from '@manta/api/crds';
import { startTestEngine, type TestEngine, type TestEngineOptions } from '@manta/apiserver/testing';
import {
  type ConsoleOptions,
  forwardToPod,
  type NewSession,
  type RunningConsole,
  startConsole,
  type StreamMessage,
} from '@manta/console';
import { type Clock, createKubeClient, createTransport, loadConnection, resources, systemClock } from '@manta/kube';
import { createLogger, encodeConsole } from '@manta/runtime';
import { type ScriptedPods, scriptedPods } from './scripted-pods.ts';

/** A console on an engine without pods, with two users: `ada` is an administrator, `vera` may do nothing until a test lets her. */
export interface ConsoleFixture {
  readonly engine: TestEngine;
  readonly console: RunningConsole;
  readonly pods: ScriptedPods;
  /** Tokens that the API server knows. */
  readonly tokens: Map<string, { readonly name: string; readonly groups: readonly string[] }>;
  /** Links that log in once, the newest last. */
  readonly links: readonly string[];
  /** What the console logged. */
  readonly log: () => string;
  /** With a cookie, the request carries the key of its session, too. */
  request(path: string, init?: RequestInit & { readonly cookie?: string }): Promise<Response>;
  /** The key of the session that a cookie names. */
  keyOf(cookie: string): string;
  /** Logs a user in and returns the cookie. */
  logIn(token: 'ada' | 'vera'): Promise<string>;
  close(): Promise<void>;
}

export interface FixtureOptions {
  readonly clock?: Clock;
  readonly hasOneTimeUrls?: boolean;
  /** The built page; a placeholder unless given. */
  readonly page?: string;
  /** Further ways to log in, for a console that listens on a port. */
  readonly login?: (port: number) => Pick<ConsoleOptions, 'oidc' | 'trustedHeader'>;
  /** How the engine behaves: its clock, and what answers for pods. */
  readonly engine?: Pick<TestEngineOptions, 'clock' | 'podBackend'>;
}

export async function startConsoleFixture({
  clock = systemClock,
  hasOneTimeUrls = false,
  page,
  login,
  engine: engineOptions = {},
}: FixtureOptions = {}): Promise<ConsoleFixture> {
  const tokens = new Map([
    ['ada', { name: 'ada', groups: ['system:masters', 'system:authenticated'] }],
    ['vera', { name: 'vera', groups: ['system:authenticated'] }],
  ]);
  const pods = scriptedPods();
  const engine = await startTestEngine({ tokens, podBackend: pods.backend, ...engineOptions });
  for (const crd of sharedCrds()) await engine.client.create(resources.customResourceDefinitions, crd);
  const folder = mkdtempSync(join(tmpdir(), 'manta-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(folder, 'assets/app-1234.js'), 'export {};');
  const lines: string[] = [];
  const log = createLogger({
    clock,
    main: {
      sink: {
        write: (line: string) => void lines.push(line),
        flush: async () => undefined,
        flushSync: () => undefined,
        takeDropped: () => 0,
      },
      encode: encodeConsole,
    },
  });
  const server = await loadConnection({ kubeconfig: engine.admin.kubeconfig.path });
  const transport = createTransport({ connection: server, clock: systemClock });
  const client = createKubeClient({ transport, clock: systemClock });
  const links: string[] = [];
  const port = login === undefined ? 0 : await freePort();
  const running = await startConsole({
    clock,
    log,
    server,
    client,
    listen: { host: '127.0.0.1', port },
    hosts: [],
    hasComputeTemplates: true,
    ...login?.(port),
    rayDashboards: { listen: { host: '127.0.0.1', port: 0 }, dial: forwardToPod(clock) },
    folder: page ?? folder,
    ...(hasOneTimeUrls ? { onLink: (url: string) => void links.push(url) } : {}),
  });
  const keys = new Map<string, string>();
  const keyOf = (cookie: string) => keys.get(cookie) ?? 'none';
  const request: ConsoleFixture['request'] = (path, { cookie, ...init } = {}) =>
    fetch(new URL(path, running.url), {
      redirect: 'manual',
      ...init,
      headers: {
        ...(cookie === undefined ? {} : { cookie }),
        'x-manta-console': cookie === undefined ? 'none' : keyOf(cookie),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
  return {
    engine,
    console: running,
    pods,
    tokens,
    links,
    log: () => lines.join(''),
    request,
    keyOf,
    logIn: async (token) => {
      const answer = await request('/api/login/token', { method: 'POST', body: JSON.stringify({ token }) });
      if (answer.status !== 200) throw new Error(`login failed: ${await answer.text()}`);
      const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      keys.set(cookie, ((await answer.json()) as NewSession).key);
      return cookie;
    },
    close: async () => {
      await running.close();
      await transport.close();
      await engine.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Reads a stream of server-sent events message by message. */
export async function* messagesOf(answer: Response): AsyncGenerator<StreamMessage> {
  let text = '';
  for await (const chunk of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) yield JSON.parse(part.slice('data: '.length)) as StreamMessage;
  }
}

/** Reads until a message fulfils the condition. */
export async function until(
  messages: AsyncGenerator<StreamMessage>,
  isWanted: (message: StreamMessage) => boolean,
): Promise<StreamMessage> {
  for (;;) {
    const { done, value } = await messages.next();
    if (done === true) throw new Error('the stream ended before the wanted message');
    if (isWanted(value)) return value;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => {
    server.close(done);
  });
  return port;
}
