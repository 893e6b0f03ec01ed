// scratch: alternates in one process
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tenon from 'tenon';
import { calls } from './measure/client.mjs';
const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-'));
const recorded = { ...tenon, query: ({ prompt, options }) => tenon.query({ prompt, options: { ...options, record: folder } }) };
const rounds = Number(process.argv[2] ?? 12), number = Number(process.argv[3] ?? 10000);
const off = [], on = [];
const med = (a) => a.toSorted((x, y) => x - y)[a.length >> 1];
for (let i = 0; i < rounds; i += 1) {
  const order = i % 2 ? [0, 1] : [1, 0];
  for (const which of order) {
    const { cpu } = await calls(which ? recorded : tenon, { number, inFlight: 1, bytes: 100 });
    (which ? on : off).push(cpu * 1000);
  }
}
const o = off.slice(2), n = on.slice(2);
console.log(`off ${med(o).toFixed(2)} on ${med(n).toFixed(2)} ratio ${(med(n) / med(o)).toFixed(3)}  min-ratio ${(Math.min(...n) / Math.min(...o)).toFixed(3)} paired ${med(n.map((x, i) => x - o[i])).toFixed(2)} µs`);
rmSync(folder, { recursive: true });
