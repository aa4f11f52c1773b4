import { ConfigError, fileProblem } from './config-error.ts';
import type { Host } from './host.ts';

/** A file whose content may change while the program runs. */
export interface FileSource {
  readonly path: string;
  /** Starts the error sentence, e.g. `/home/me/.kube/config: user "dev": tokenFile`. */
  readonly field: string;
  /** Absent files give '' instead of an error. */
  readonly isOptional?: boolean;
}

/** The files that a user's credentials, or the trust in the server, come from. */
export type CredentialFile = 'ca' | 'token' | 'cert' | 'key';
export type FileSources = Readonly<Partial<Record<CredentialFile, FileSource>>>;
export type FileContents = Readonly<Partial<Record<CredentialFile, string>>>;

const FILES: readonly CredentialFile[] = ['ca', 'token', 'cert', 'key'];
/** Half the time between a kubelet's refresh of a projected token and the old one's end. */
const REFRESH_MS = 60_000;
const RETRY_MS = 5_000;

/**
 * The contents of a few small files, read again each minute when somebody asks. The same object comes back while nothing changed.
 * When a file cannot be read any more, the last contents stay in use until `invalidate` says that they do not work either.
 */
export class RefreshedFiles {
  readonly #sources: FileSources;
  readonly #host: Host;
  readonly #isEmpty: boolean;
  #contents: FileContents | undefined;
  #readAgainAt = 0;
  #reading: Promise<FileContents> | undefined;

  constructor(sources: FileSources, host: Host) {
    this.#sources = sources;
    this.#host = host;
    this.#isEmpty = Object.keys(sources).length === 0;
    if (this.#isEmpty) this.#contents = {};
  }

  /** A value while the last reading is fresh, else a promise of a new one; callers share one reading. */
  current(): FileContents | Promise<FileContents> {
    if (this.#contents !== undefined && (this.#isEmpty || this.#host.clock.now() < this.#readAgainAt)) {
      return this.#contents;
    }
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** The contents were refused: read again at the next call. */
  invalidate(): void {
    this.#readAgainAt = 0;
  }

  /** The contents do not fit each other, perhaps because they are being replaced: read again in a few seconds. */
  retrySoon(): void {
    this.#readAgainAt = this.#host.clock.now() + RETRY_MS;
  }

  async #read(): Promise<FileContents> {
    const { clock } = this.#host;
    const wasRefused = this.#readAgainAt === 0;
    try {
      const next = await this.#readAll();
      this.#readAgainAt = clock.now() + REFRESH_MS;
      if (this.#contents === undefined || !sameContents(this.#contents, next)) this.#contents = next;
      return this.#contents;
    } catch (error) {
      if (this.#contents === undefined || wasRefused) throw error;
      this.#readAgainAt = clock.now() + RETRY_MS;
      return this.#contents;
    }
  }

  async #readAll(): Promise<FileContents> {
    const contents: Partial<Record<CredentialFile, string>> = {};
    for (const name of FILES) {
      const source = this.#sources[name];
      if (source !== undefined) contents[name] = await this.#readOne(source);
    }
    return contents;
  }

  async #readOne(source: FileSource): Promise<string> {
    let text: string;
    try {
      text = await this.#host.readFile(source.path);
    } catch (cause) {
      if (source.isOptional) return '';
      throw new ConfigError(`${source.field}: the file ${source.path} ${fileProblem(cause)}`, {
        file: source.path,
        field: source.field,
        cause,
      });
    }
    if (text.trim() === '' && !source.isOptional) {
      throw new ConfigError(`${source.field}: the file ${source.path} is empty`, {
        file: source.path,
        field: source.field,
      });
    }
    return text;
  }
}

function sameContents(a: FileContents, b: FileContents): boolean {
  return FILES.every((name) => a[name] === b[name]);
}
