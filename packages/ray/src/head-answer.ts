import { createHash } from 'node:crypto';

/** A head's whole answer. */
export class HeadAnswer {
  readonly status: number;
  readonly bytes: Buffer;

  constructor(status: number, bytes: Buffer) {
    this.status = status;
    this.bytes = bytes;
  }

  /** Decoded when asked for: an unchanged answer is never decoded. */
  get text(): string {
    return this.bytes.toString('utf8');
  }

  /** Equal for equal answers only. */
  get digest(): string {
    return `${this.status} ${createHash('sha256').update(this.bytes).digest('base64')}`;
  }
}
