import type { JsonRpcResponse } from '../types.js';

/** The handshake of a shared connection: made for the first client, remembered for the others. */
export class SharedHandshake {
  #answer: Promise<JsonRpcResponse> | undefined;
  #finish: (response: JsonRpcResponse) => void = () => {};
  #announced = false;

  /** `send` is called for the first client only. */
  ask(send: () => void): Promise<JsonRpcResponse> {
    this.#answer ??= new Promise((resolve) => {
      this.#finish = resolve;
      send();
    });
    return this.#answer;
  }

  finish(response: JsonRpcResponse): void {
    // A refusal is not remembered: the next client may have more luck.
    if ('error' in response) this.#answer = undefined;
    this.#finish(response);
  }

  /** Whether this is the first `notifications/initialized`; the server expects exactly one. */
  announce(): boolean {
    const isFirst = !this.#announced;
    this.#announced = true;
    return isFirst;
  }

  reset(): void {
    this.#answer = undefined;
    this.#announced = false;
  }
}
