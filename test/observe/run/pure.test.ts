/** The model of a run is bundled into a web page: no Node, no browser, and small (R57). */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../../src/observe/run/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
/** Of the 60,000 that the whole page may have; it leaves out what only the terminal needs. */
const MOST_BYTES = 23_000;

describe('src/observe/run', () => {
  it('and what it imports needs neither Node nor a browser, and is small when bundled (R57)', async () => {
    const input = 'every-view';
    const bundle = await rolldown({
      input,
      platform: 'neutral',
      external: (id) => isBuiltin(id),
      plugins: [
        {
          name: 'every-view',
          resolveId: (id, importer) =>
            id === input
              ? id
              : id.endsWith('.js') && importer === input
                ? `${folder}${id.slice(2, -3)}.ts`
                : null,
          load: (id) =>
            id === input
              ? files.map((name) => `export * from './${name.replace('.ts', '.js')}';`).join('\n')
              : null,
        },
      ],
    });
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    await bundle.close();
    const [chunk] = output;
    expect(output).toHaveLength(1);
    expect(chunk.imports).toEqual([]);
    expect(chunk.code).not.toMatch(/\b(process|Buffer|document|window|require)\b[.([]/);
    const size = gzipSync(chunk.code, { level: 9 }).length;
    expect(size).toBeLessThan(MOST_BYTES);
    // Everything is in it.
    expect(chunk.code.length).toBeGreaterThan(size * 2);
  });

  it('names no global of Node or of a browser (R57)', () => {
    const foreign = files.filter((name) =>
      /\b(node:|process\.|Buffer\.|globalThis|document\.|window\.|setTimeout|Date\.now)/.test(
        readFileSync(`${folder}${name}`, 'utf8'),
      ),
    );
    expect(foreign).toEqual([]);
  });
});
