import { ownValue } from '@manta/base';
import { programsAround } from './programs.ts';

/** What stands in for an image on this machine: programs that are installed, found by PATH and variables. */
export type ImageAnswer =
  | {
      readonly kind: 'known';
      readonly env: Readonly<Record<string, string>>;
      readonly command?: readonly string[];
      /** Files and folders of this machine that its programs need, besides the system's own. */
      readonly programs?: readonly string[];
    }
  | { readonly kind: 'unknown'; readonly message: string }
  /** Not there yet; to be asked again when it is done, which fails with a readable reason. */
  | { readonly kind: 'installing'; readonly what: string; readonly done: Promise<void> };

/** Finds what runs instead of an image. */
export type ImageTable = (image: string) => ImageAnswer;

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Images whose programs every Linux machine has. */
const SYSTEM_IMAGES = /^(?:docker\.io\/)?(?:library\/)?(?:busybox|bash|alpine|debian|ubuntu)(?::|@|$)/;
const RAY_IMAGES = /^(?:[^/]+\/)*rayproject\/ray(?:-[a-z0-9-]+)?(?::|@|$)/;

/** The tags of releases, with or without a flavour: `2.53.0`, `2.53.0-py311-gpu`. */
const RELEASE = /:(\d+\.\d+\.\d+(?:rc\d+)?)(?:-[\w.-]*)?(?:@|$)/;

/** The folder with the programs of a version of Ray: at once where it is installed, else it is being installed from now on. */
export type RayOfVersion = (version: string) => string | Promise<string>;

export interface ImageTableOptions {
  /** The folder with `ray` and `python`, of the Ray that is installed. */
  readonly rayBin: string;
  /** Gives Ray's images the version that their tag says; without it any tag is the Ray that is installed. */
  readonly rayOfVersion?: RayOfVersion | undefined;
  /** The command that runs instead of `redis-server`, where there is one. */
  readonly redisBin?: string;
  /** Further images, by name without tag: a folder that is put before PATH, and the command where a pod gives none. */
  readonly configured?: Readonly<Record<string, { readonly bin?: string; readonly command?: readonly string[] }>>;
}

/** Ray's images are the installed Ray, or the version that their tag says; small system images are this system; others have to be configured. */
export function createImageTable({ rayBin, rayOfVersion, redisBin, configured = {} }: ImageTableOptions): ImageTable {
  return (image) => {
    const own = ownValue(configured, nameOf(image));
    if (own !== undefined) {
      const { bin, command } = own;
      return { ...known(bin), ...(command === undefined ? {} : { command }) };
    }
    if (RAY_IMAGES.test(image)) return rayAnswer(image, rayBin, rayOfVersion);
    if (SYSTEM_IMAGES.test(image)) return known(undefined);
    if (/(^|\/)redis(:|@|$)/.test(image) && redisBin !== undefined)
      return { ...known(redisBin), command: ['redis-server'] };
    return { kind: 'unknown', message: unknown(image) };
  };
}

function rayAnswer(image: string, rayBin: string, rayOfVersion: RayOfVersion | undefined): ImageAnswer {
  const version = RELEASE.exec(image)?.[1];
  const bin = version === undefined ? rayBin : (rayOfVersion?.(version) ?? rayBin);
  if (typeof bin === 'string') {
    const answer = known(bin);
    return { ...answer, env: { ...answer.env, ...RAY_ENV } };
  }
  const done = bin.then(() => undefined);
  // Callers need not wait for it.
  done.catch(() => undefined);
  return { kind: 'installing', what: `Ray ${version}`, done };
}

/** Disables Ray's usage statistics on a user's machine, and allows for slow, busy machines. */
const RAY_ENV = {
  RAY_USAGE_STATS_ENABLED: '0',
  RAY_DASHBOARD_STARTUP_TIMEOUT_S: '300',
  RAY_gcs_server_port_wait_time_s: '120',
  PYTHONUNBUFFERED: '1',
  PYTHONDONTWRITEBYTECODE: '1',
} as const;

function known(bin: string | undefined): Extract<ImageAnswer, { kind: 'known' }> {
  const env = {
    PATH: bin === undefined ? SYSTEM_PATH : `${bin}:${SYSTEM_PATH}`,
    HOME: '/home/ray',
    USER: 'ray',
    LANG: 'C.UTF-8',
  };
  return { kind: 'known', env, programs: bin === undefined ? [] : programsAround(bin) };
}

function nameOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
}

function unknown(image: string): string {
  const advice = `pods are processes here, nothing is pulled; manta up --image ${nameOf(image)}=<folder> names the folder with the programs that run instead`;
  return `no program on this machine stands for the image "${image}": ${advice}`;
}
