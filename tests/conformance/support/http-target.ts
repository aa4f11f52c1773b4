import { randomBytes } from 'node:crypto';
import { type ApiAnswer, type Credentials, createRequester } from '../../support/api-request.ts';
import type { IssuedCertificate } from '../../support/certificates.ts';
import { eventually } from './eventually.ts';
import type { CaseUser, KubeList, KubeObject, Target } from './target.ts';
import { openWatch } from './watch-stream.ts';

/** What a server must hand over to be tested. */
export interface ServerAccess {
  readonly name: 'real' | 'engine';
  readonly url: string;
  readonly caCert: string;
  /** Makes the server forget its history up to a version. */
  forget(version: number): Promise<void>;
  /** Makes a client certificate. */
  issue(user: CaseUser): IssuedCertificate;
}

/** A server under test, and how to let go of it. */
export interface OpenTarget {
  /** The server as an administrator sees it. */
  readonly target: Target;
  close(): void;
}

/** Opens a server for the suite, as a member of `system:masters`. */
export function openTarget(access: ServerAccess): OpenTarget {
  const closers: (() => void)[] = [];
  const targetOf = (credentials: Credentials): Target => {
    const requester = createRequester(credentials);
    closers.push(() => requester.close());
    return methodsOf(access, credentials, sized(requester), targetOf);
  };
  const admin = access.issue({ name: 'conformance-admin', groups: ['system:masters'] });
  return {
    target: targetOf({ url: access.url, ca: access.caCert, ...admin }),
    close: () => {
      for (const close of closers.splice(0)) close();
    },
  };
}

/** Says how long each body is: Node leaves that out of a DELETE, whose body then reads like another request. */
const sized =
  (request: Target['request']): Target['request'] =>
  (method, path, body, headers) => {
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const length = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) };
    return request(method, path, payload, { ...length, ...headers });
  };

const unique = (prefix: string) => `${prefix}-${randomBytes(5).toString('hex')}`;

function methodsOf(
  access: ServerAccess,
  credentials: Credentials,
  request: Target['request'],
  targetOf: (credentials: Credentials) => Target,
): Target {
  const server = { url: access.url, ca: access.caCert };
  const must: Target['must'] = async (method, path, body, headers) => {
    const answer = await request(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body as KubeObject;
  };
  return {
    name: access.name,
    url: access.url,
    caCert: access.caCert,
    request,
    must,
    unique,
    forget: async () => {
      const { metadata } = await must('GET', '/api/v1/namespaces');
      await access.forget(Number(metadata.resourceVersion));
    },
    list: async (path) => (await must('GET', path)) as unknown as KubeList,
    watch: (path, headers) => openWatch(credentials, path, headers),
    as: (user) => targetOf({ ...server, ...access.issue(user) }),
    withToken: (token) => targetOf({ ...server, token }),
    anonymous: () => targetOf(server),
    namespace: async () => {
      const name = unique('case');
      await must('POST', '/api/v1/namespaces', { metadata: { name } });
      await eventually(`the service account of ${name}`, async () => {
        const answer: ApiAnswer = await request('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`);
        return answer.status === 200 ? true : undefined;
      });
      return name;
    },
  };
}
