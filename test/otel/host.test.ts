/** What a host tells OpenTelemetry (R59, R60). */
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { expect, it, vi } from 'vitest';
import { hostMetrics } from '../../src/otel/index.js';
import { text, toolUse } from '../../src/testing/index.js';
import { hosted, isDone, REF, shop, until } from '../host/support/host.js';

function collector() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const collect = async (): Promise<Record<string, unknown>> => {
    exporter.reset();
    await reader.forceFlush();
    const scopes = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    return Object.fromEntries(
      scopes.flatMap(({ metrics }) =>
        metrics.flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ value, attributes }) => [
            [descriptor.name, ...Object.values(attributes)].join(' '),
            value,
          ]),
        ),
      ),
    );
  };
  return { meterProvider, collect };
}

it('a host is measured whenever metrics are collected, until that is ended', async () => {
  const { meterProvider, collect } = collector();
  const { host } = hosted([text('Hello.'), toolUse('mcp__shop__pay', { amount: 1 })], shop());
  await using _ = host;
  const stats = vi.fn(() => host.stats());
  const end = hostMetrics({ stats }, { meterProvider });
  await host.send(REF, 'Hi.');
  await until(host, REF, isDone);
  await host.send({ ...REF, session: 'other' }, 'Pay.');
  await vi.waitFor(async () => expect((await host.stats()).sessions.waiting).toBe(1));
  expect(await collect()).toMatchObject({
    'tenon.host.conversations idle': 1,
    'tenon.host.conversations waiting': 1,
    'tenon.host.turns answered': 1,
    'tenon.host.turns failed': 0,
    'tenon.host.approvals asked': 1,
    'tenon.host.approvals parked': 1,
    'tenon.host.running': 0,
    'tenon.host.open': 1,
    'tenon.host.processes': 0,
    'tenon.host.readers': 0,
    'tenon.host.refused': 0,
    'tenon.host.evicted': 0,
    'tenon.host.lost_leases': 0,
    'tenon.host.retries': 0,
  });
  expect(stats).toHaveBeenCalledOnce();
  end();
  await collect();
  expect(stats).toHaveBeenCalledOnce();
});

it('a storage that is away has no numbers, and disturbs nobody', async () => {
  const { meterProvider, collect } = collector();
  hostMetrics({ stats: () => Promise.reject(new Error('away')) }, { meterProvider });
  expect(await collect()).toEqual({});
});

it('what is no host is refused', () => {
  expect(() => hostMetrics({} as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', option: 'host' }),
  );
});
