import type { Attributes, Histogram, Meter } from '@opentelemetry/api';
import { ATTRIBUTE, BUCKETS, METRIC } from './names.js';

/** The instruments of all conversations of one `otel()`. */
export class Metrics {
  readonly #agent: Histogram;
  readonly #operation: Histogram;
  readonly #tokens: Histogram;
  readonly #tool: Histogram;
  readonly #mcpClient: Histogram;
  readonly #mcpServer: Histogram;

  constructor(meter: Meter) {
    const inSeconds = (name: string, description: string, buckets = BUCKETS.seconds): Histogram =>
      meter.createHistogram(name, {
        unit: 's',
        description,
        advice: { explicitBucketBoundaries: buckets },
      });
    this.#agent = inSeconds(METRIC.agentDuration, 'How long agents and subagents work.');
    this.#operation = inSeconds(METRIC.operationDuration, 'How long turns and requests to models take.');
    this.#tokens = meter.createHistogram(METRIC.tokenUsage, {
      unit: '{token}',
      description: 'How many tokens are used.',
      advice: { explicitBucketBoundaries: BUCKETS.tokens },
    });
    this.#tool = inSeconds(METRIC.toolDuration, 'How long calls of tools take.');
    const { mcpSeconds } = BUCKETS;
    this.#mcpClient = inSeconds(
      METRIC.mcpClientDuration,
      'How long requests to MCP servers take.',
      mcpSeconds,
    );
    this.#mcpServer = inSeconds(METRIC.mcpServerDuration, 'How long MCP servers here take.', mcpSeconds);
  }

  /** A turn, or a subagent. */
  agent(milliseconds: number, name: string | undefined, errorType: string | undefined): void {
    this.#agent.record(milliseconds / 1000, {
      ...(name === undefined ? {} : { [ATTRIBUTE.agentName]: name }),
      ...(errorType === undefined ? {} : { [ATTRIBUTE.errorType]: errorType }),
    });
  }

  operation(milliseconds: number, attributes: Attributes): void {
    this.#operation.record(milliseconds / 1000, attributes);
  }

  tool(milliseconds: number, attributes: Attributes): void {
    this.#tool.record(milliseconds / 1000, attributes);
  }

  mcp(side: 'client' | 'server', milliseconds: number, attributes: Attributes): void {
    (side === 'client' ? this.#mcpClient : this.#mcpServer).record(milliseconds / 1000, attributes);
  }

  tokens({ input, output }: { input: number; output: number }, attributes: Attributes): void {
    this.#tokens.record(input, { ...attributes, [ATTRIBUTE.tokenType]: 'input' });
    this.#tokens.record(output, { ...attributes, [ATTRIBUTE.tokenType]: 'output' });
  }
}
