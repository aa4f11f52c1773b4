import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { Duplex } from 'node:stream';

/** Opens a connection to an address that the system's own network does not lead to; rejects with why it cannot. */
export type Dial = (host: string, port: number) => Promise<Duplex>;

/** Keeps connections that a dial opens. */
export class DialingAgent extends Agent {
  readonly #dial: Dial;

  constructor(dial: Dial, options: AgentOptions) {
    super(options);
    this.#dial = dial;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    opened?: (error: Error | null, connection: Duplex) => void,
  ): undefined {
    this.#dial(host ?? '', Number(port)).then(
      (connection) => opened?.(null, connection),
      // The agent's type requires a connection even with an error; it is ignored then.
      (error: unknown) => opened?.(asError(error), new Duplex()),
    );
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
