/** What a client of the Messages API needs of `fetch`, and what it needs of a response. `fetch` itself fits. */
export type MessagesFetch = (
  url: string,
  request: {
    readonly method: 'POST';
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly signal: AbortSignal;
  },
) => Promise<MessagesResponse>;

export interface MessagesResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: ResponseHeaders;
  readonly body: ResponseBody | null;
}

export interface ResponseHeaders {
  get(name: string): string | null;
}

export interface ResponseBody {
  getReader(): BodyReader;
}

export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}
