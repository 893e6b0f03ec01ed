import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExchangeWatch } from '../../observe/exchange-watch.js';
import { messageOf } from '../../protocol/base/errors.js';
import { hostVariable } from '../../protocol/base/host-process.js';
import { LIMITS } from '../../protocol/base/limits.js';
import {
  makePrivateDirectory,
  removePrivateDirectory,
} from '../../protocol/transport/process/private-directory.js';
import type { ModelCall, ModelCalls } from '../../protocol/transport/run-events.js';
import type { Tap } from '../query/observers.js';

/** With it the CLI writes down every request and answer, whole; it needs no telemetry for that. */
const BODIES = 'OTEL_LOG_RAW_API_BODIES';
/** Where the inspector receives spans, and what it recognises ours by. */
const OTLP = 'TENON_INSPECT_OTLP';
const OTLP_TOKEN = 'TENON_INSPECT_OTLP_TOKEN';
const TELEMETRY = /^(?:CLAUDE_CODE_ENABLE_TELEMETRY$|OTEL_EXPORTER_|OTEL_(?:TRACES|LOGS|METRICS)_EXPORTER$)/;

/** A CLI that shows what it asks its model to those who watch. What the user has set up for that is left alone. */
export class ObservedCli implements ModelCalls {
  #directory: string | undefined;
  #bodies: string | undefined;
  #watch: Promise<ExchangeWatch | undefined> = Promise.resolve(undefined);

  /** Throws nothing: a conversation goes on without it. */
  applyTo(env: NodeJS.ProcessEnv, { wantsCalls, isInspected }: Tap, warn: (text: string) => void): void {
    if (isInspected) sendSpans(env, warn);
    if (!wantsCalls || env[BODIES] !== undefined) return;
    try {
      this.#directory = makePrivateDirectory();
      this.#bodies = join(this.#directory, 'bodies');
      mkdirSync(this.#bodies, { mode: 0o700 });
      env[BODIES] = `file:${this.#bodies}`;
    } catch (error) {
      this.remove();
      warn(`The recording will not have what Claude Code asks its model: ${messageOf(error)}`);
    }
  }

  /** Undefined if it writes nothing down for us. */
  get calls(): ModelCalls | undefined {
    return this.#bodies === undefined ? undefined : this;
  }

  start(tell: (call: ModelCall) => void): void {
    const directory = this.#bodies;
    if (directory === undefined) return;
    this.#watch = import('../../observe/exchange-watch.js').then(
      (loaded) => new loaded.ExchangeWatch(directory, tell),
      () => undefined,
    );
  }

  async finish(): Promise<void> {
    await (await this.#watch)?.finish();
  }

  remove(): void {
    if (this.#directory === undefined) return;
    removePrivateDirectory(this.#directory);
    this.#directory = undefined;
    this.#bodies = undefined;
  }
}

/** Spans go to the inspector that started this program, and nowhere else. */
function sendSpans(env: NodeJS.ProcessEnv, warn: (text: string) => void): void {
  const [url, token] = [hostVariable(OTLP), hostVariable(OTLP_TOKEN)];
  if (!url || !token || Object.keys(env).some((name) => env[name] !== undefined && TELEMETRY.test(name)))
    return;
  if (!isLoopback(url)) {
    warn(
      `${OTLP} is "${url}" and is not used: it must be a URL of this machine, such as http://127.0.0.1:4318.`,
    );
    return;
  }
  Object.assign(env, {
    CLAUDE_CODE_ENABLE_TELEMETRY: '1',
    CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-tenon-token=${token}`,
    OTEL_BSP_SCHEDULE_DELAY: String(LIMITS.spanDelayMs),
  });
}

function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}
