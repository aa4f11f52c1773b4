import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiRequester, type Credentials, createRequester } from './api-request.ts';
import { AuditLog } from './audit-log.ts';
import { type CertificateAuthority, type IssuedCertificate, openCertificateAuthority } from './certificates.ts';
import { kubeconfigText } from './kubeconfig-text.ts';

/** The name that certificates of a control plane carry as their issuer. */
export const planeAuthorityName = 'manta-test-ca';

/** All that another process needs to use a running control plane; plain data. */
export interface PlaneAccess {
  readonly url: string;
  readonly folder: string;
  readonly assets: string;
  readonly authority: IssuedCertificate;
  readonly auditLog?: string;
}

/** A kubeconfig as a file and as its text. */
export interface KubeconfigFile {
  readonly path: string;
  readonly text: string;
}

/** Whom to make a user of. */
export interface UserRequest {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A user with a client certificate; may do nothing until RBAC says otherwise. */
export interface PlaneUser extends IssuedCertificate {
  readonly name: string;
  readonly kubeconfig: KubeconfigFile;
  readonly credentials: Credentials;
  /** Makes requests as this user. */
  readonly request: ApiRequester;
}

/** How kubectl is run. */
export interface KubectlOptions {
  /** What kubectl reads from its standard input. */
  readonly input?: string;
  /** The user who runs it; the administrator unless told. */
  readonly user?: PlaneUser;
}

/** What a test does with a control plane, whoever started it. */
export interface PlaneClient {
  readonly access: PlaneAccess;
  readonly url: string;
  readonly ca: CertificateAuthority;
  readonly admin: PlaneUser;
  readonly adminKubeconfig: KubeconfigFile;
  /** Makes requests as the administrator. */
  readonly request: ApiRequester;
  /** What the API server was asked; throws where the control plane was started without an audit log. */
  readonly audit: AuditLog;
  user(request: UserRequest): PlaneUser;
  /** Runs kubectl and gives its output; throws with its words where it fails. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** `kubectl apply` of YAML text. */
  apply(yaml: string): Promise<string>;
  /** Closes the connections that this client keeps. */
  close(): void;
}

function runKubectl(program: string, args: readonly string[], input: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    child.on('close', (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`kubectl ${args.join(' ')} ended with ${code}:\n${stderr.trimEnd()}`));
    });
  });
}

/** Makes the handle of a control plane that is running. */
export function createPlaneClient(access: PlaneAccess): PlaneClient {
  const ca = openCertificateAuthority(access.authority);
  const requesters: ApiRequester[] = [];

  const user = ({ name, groups, ...validity }: UserRequest): PlaneUser => {
    const pair = ca.issue({ commonName: name, organizations: groups ?? [], usages: ['client'], ...validity });
    const credentials = { url: access.url, ca: ca.cert, ...pair };
    const text = kubeconfigText({ ...credentials, user: name });
    const fileName = `${name.replaceAll(/[^\w.-]/g, '_')}-${randomBytes(4).toString('hex')}.kubeconfig`;
    const path = join(access.folder, fileName);
    writeFileSync(path, text, { mode: 0o600 });
    const request = createRequester(credentials);
    requesters.push(request);
    return { name, ...pair, credentials, kubeconfig: { path, text }, request };
  };

  const admin = user({ name: 'admin', groups: ['system:masters'] });
  const kubectl = (args: readonly string[], options: KubectlOptions = {}) => {
    const kubeconfig = (options.user ?? admin).kubeconfig.path;
    const common = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(access.folder, 'kubectl-cache')}`];
    return runKubectl(join(access.assets, 'kubectl'), [...args, ...common], options.input);
  };
  return {
    access,
    url: access.url,
    ca,
    admin,
    adminKubeconfig: admin.kubeconfig,
    request: admin.request,
    get audit(): AuditLog {
      if (access.auditLog === undefined)
        throw new Error('this control plane keeps no audit log: start it with { audit: true }');
      return new AuditLog(access.auditLog);
    },
    user,
    kubectl,
    apply: (yaml) => kubectl(['apply', '-f', '-'], { input: yaml }),
    close: () => {
      for (const requester of requesters.splice(0)) requester.close();
    },
  };
}
