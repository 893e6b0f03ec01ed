import type { JsonRpcResponse } from '../mcp.js';

/** The handshake of a connection that several clients share: made for the first, remembered for the others. */
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
    // A refusal is not remembered: the next client may ask better.
    if ('error' in response) this.#answer = undefined;
    this.#finish(response);
  }

  /** Whether this is the first `notifications/initialized`; the server wants to hear one. */
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
