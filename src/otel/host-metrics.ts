import {
  type BatchObservableCallback,
  type Meter,
  type MeterProvider,
  metrics,
  type Observable,
} from '@opentelemetry/api';
import { OptionError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import { HOST_METRIC, OWN_ATTRIBUTE, SCOPE } from './names.js';

/** What is measured of a host; `createHost()` of tenon/host returns one. */
export interface MeasuredHost {
  stats(): Promise<MeasuredStats>;
}

export interface MeasuredStats {
  readonly sessions: Readonly<Record<string, number>>;
  readonly running: number;
  readonly open: number;
  readonly processes: number;
  readonly readers: number;
  readonly turns: Readonly<Record<string, number>>;
  readonly approvals: Readonly<Record<string, number>>;
  readonly evicted: number;
  readonly refused: number;
  readonly lostLeases: number;
  readonly retries: number;
}

export interface HostMetricsOptions {
  /** In place of the registered one. */
  meterProvider?: Pick<MeterProvider, 'getMeter'> | undefined;
}

type Counted = keyof typeof HOST_METRIC;

/** Measures a host whenever metrics are collected; nothing in between. Call what it returns to end it. */
export function hostMetrics(host: MeasuredHost, options: HostMetricsOptions = {}): () => void {
  if (!isRecord(host) || typeof host.stats !== 'function') {
    const text = 'hostMetrics(): the first argument must be a host, as createHost() of tenon/host makes it.';
    throw new OptionError('host', host, text);
  }
  const meter = (options.meterProvider ?? metrics).getMeter(SCOPE);
  const instruments = instrumentsOf(meter);
  const all = Object.values(instruments);
  const observe: BatchObservableCallback = async (result) => {
    // A storage that is away has no numbers; the host itself tells of it (`onProblem`).
    const stats = await host.stats().catch(() => undefined);
    if (stats === undefined) return;
    for (const [state, count] of Object.entries(stats.sessions))
      result.observe(instruments.sessions, count, { [OWN_ATTRIBUTE.hostState]: state });
    for (const [outcome, count] of Object.entries(stats.turns))
      result.observe(instruments.turns, count, { [OWN_ATTRIBUTE.hostOutcome]: outcome });
    for (const [event, count] of Object.entries(stats.approvals))
      result.observe(instruments.approvals, count, { [OWN_ATTRIBUTE.hostEvent]: event });
    for (const name of SINGLE) result.observe(instruments[name], stats[name]);
  };
  meter.addBatchObservableCallback(observe, all);
  return () => meter.removeBatchObservableCallback(observe, all);
}

const SINGLE = [
  'running',
  'open',
  'processes',
  'readers',
  'evicted',
  'refused',
  'lostLeases',
  'retries',
] as const;

function instrumentsOf(meter: Meter): Record<Counted, Observable> {
  return Object.fromEntries(
    Object.entries(HOST_METRIC).map(([key, { name, unit, description, isGauge }]) => [
      key,
      isGauge
        ? meter.createObservableGauge(name, { unit, description })
        : meter.createObservableCounter(name, { unit, description }),
    ]),
  ) as Record<Counted, Observable>;
}
