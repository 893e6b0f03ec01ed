/** Read: texts and parts of them, images, notebooks, PDFs, and what cannot be read. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { allowed, details, type FileCall, oneByOne } from '../support/file-calls.js';
import { writeFiles } from '../support/files.js';
import type { Scenario } from '../support/scenario.js';

/** An image of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const line = (letter: string): string => `${letter.repeat(99)}\n`;

const read = (file_path: string, more: Record<string, unknown> = {}): FileCall => [
  'Read',
  { file_path, ...more },
];

const NOTEBOOK = JSON.stringify({
  cells: [
    { cell_type: 'markdown', id: 'm1', metadata: {}, source: ['# Title\n', 'words'] },
    {
      cell_type: 'code',
      id: 'c1',
      metadata: {},
      source: ['print(1)\n', 'print(2)'],
      execution_count: 2,
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['1\n', '2\n'] },
        {
          output_type: 'execute_result',
          execution_count: 2,
          metadata: {},
          data: { 'text/plain': ['<Figure>'], 'image/png': PIXEL.toString('base64') },
        },
        { output_type: 'error', ename: 'NameError', evalue: 'x is not defined', traceback: ['line 1', 'x'] },
      ],
    },
    { cell_type: 'code', metadata: {}, source: '', execution_count: null, outputs: [] },
    { cell_type: 'raw', metadata: {}, source: 'raw' },
  ],
  metadata: { language_info: { name: 'julia' } },
  nbformat: 4,
  nbformat_minor: 4,
});

export const fileReading: readonly Scenario[] = [
  {
    name: 'Read shows texts and parts of them',
    cites: 's15-read, builtin-tools 2, R49',
    script: oneByOne([
      read('a.txt'),
      read('a.txt', { offset: 2, limit: 1 }),
      read('a.txt', { offset: '2', limit: '2' }),
      read('a.txt', { offset: 99 }),
      read('a.txt', { offset: 4 }),
      read('./sub/../sub/b.txt'),
      read('link.txt'),
      read('empty.txt'),
      read('crlf.txt'),
      read('mixed.txt'),
      read('bom.txt'),
      read('utf16.txt'),
      read('end.txt'),
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, {
        'a.txt': 'one\ntwo\nthree\n',
        'sub/b.txt': 'grüße 🌍\n',
        'empty.txt': '',
        'crlf.txt': 'a\r\nb\r\n',
        'mixed.txt': 'a\r\nb\nc\rd\n',
        'bom.txt': '\uFEFFa\nb',
        'utf16.txt': Buffer.from('\uFEFFa\r\nb', 'utf16le'),
        'end.txt': 'no end',
      });
      symlinkSync('a.txt', join(box.cwd, 'link.txt'));
      return allowed;
    },
    check: (outcome) => {
      const shown = details(outcome) as { file: Record<string, unknown> }[];
      expect(shown[0]).toEqual({
        type: 'text',
        file: {
          filePath: 'a.txt',
          content: 'one\ntwo\nthree\n',
          numLines: 4,
          startLine: 1,
          totalLines: 4,
        },
      });
      expect(shown[1]?.file).toMatchObject({ content: 'two', numLines: 1, startLine: 2, totalLines: 4 });
      expect(shown[3]?.file).toMatchObject({ content: '', numLines: 0, startLine: 99, totalLines: 4 });
      expect(shown[8]?.file).toMatchObject({ content: 'a\nb\n' });
      expect(shown[10]?.file).toMatchObject({ content: 'a\nb' });
    },
  },
  {
    name: 'Read from line 0',
    cites: 'builtin-tools 2, R49',
    script: oneByOne([read('a.txt', { offset: 0 })]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'a.txt': 'one\ntwo\n' });
      return allowed;
    },
  },
  {
    name: 'a parameter that is null',
    cites: 'builtin-tools 1, R49',
    script: oneByOne([read('a.txt', { limit: null })]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'a.txt': 'one\ntwo\n' });
      return allowed;
    },
    check: (outcome) => expect(typeof details(outcome)[0]).toBe('string'),
  },
  {
    name: 'Read of large texts',
    cites: 's15-read, builtin-tools 2, R49',
    script: oneByOne([
      read('big.txt'),
      read('big.txt', { offset: 100, limit: 2 }),
      read('long.txt'),
      read('long.txt', { offset: 1201 }),
      read('long.txt', { limit: 1500 }),
      read('long.txt', { allow_large: true }),
      read('line.txt'),
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, {
        'big.txt': line('x').repeat(3_000),
        'long.txt': line('y').repeat(2_000),
        'line.txt': 'z'.repeat(150_000),
      });
      return allowed;
    },
    check: (outcome) => {
      const shown = details(outcome) as { file: Record<string, unknown> }[];
      expect(shown[0]).toMatch(/offset.*limit.*allow_large/s);
      expect(shown[1]?.file).toMatchObject({ numLines: 2, startLine: 100, totalLines: 3_001 });
      expect(shown[2]?.file).toMatchObject({ truncatedByTokenCap: true, startLine: 1, totalLines: 2_001 });
      expect(shown[5]?.file).toMatchObject({ numLines: 2_001 });
    },
  },
  {
    name: 'Read shows images, notebooks and PDFs',
    cites: 's15-read, builtin-tools 2, R49',
    script: oneByOne([read('p.png'), read('n.ipynb'), read('d.pdf')]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'p.png': PIXEL, 'n.ipynb': NOTEBOOK, 'd.pdf': onePage() });
      return allowed;
    },
    check: (outcome) => {
      expect(details(outcome)).toMatchObject([
        {
          type: 'image',
          file: {
            type: 'image/png',
            originalSize: 70,
            dimensions: { originalWidth: 1, originalHeight: 1, displayWidth: 1, displayHeight: 1 },
          },
        },
        { type: 'notebook', file: { filePath: 'n.ipynb', cells: expect.any(Array) } },
        { type: 'pdf' },
      ]);
    },
  },
  {
    name: 'Read of what cannot be read',
    cites: 's15-read, builtin-tools 1, builtin-tools 2, R49',
    script: oneByOne([
      read('nope.txt'),
      read('sub'),
      read('bin.dat'),
      read('a.zip'),
      read('nul.txt'),
      read('latin1.txt'),
      read('broken.png'),
      read('empty.png'),
      read('broken.ipynb'),
      read('broken.pdf'),
      read('a.txt', { offset: -1 }),
      read('a.txt', { offset: 1.5 }),
      read('a.txt', { limit: 0 }),
      read('a.txt', { surprise: 1 }),
      read('a.txt', { offset: 'two' }),
      read('a.txt', { pages: '1-2' }),
      ['Read', {}],
      ['Read', { file_path: 5 }],
      read('/dev/zero'),
    ]),
    options: ({ box }) => {
      mkdirSync(join(box.cwd, 'sub'));
      writeFiles(box.cwd, {
        'a.txt': 'a\n',
        'bin.dat': new Uint8Array([0, 1, 2, 255]),
        'a.zip': 'PK',
        'nul.txt': 'a\0b\n',
        'latin1.txt': new Uint8Array([0x67, 0x72, 0xfc, 0x0a]),
        'broken.png': 'hello',
        'empty.png': '',
        'broken.ipynb': '{"cells"',
        'broken.pdf': 'hello',
      });
      return allowed;
    },
    check: (outcome) => {
      const shown = details(outcome);
      for (const index of [0, 1, 2, 3, 7, 8, 9, 16, 17, 18]) expect(typeof shown[index]).toBe('string');
    },
  },
];

/** A page without anything on it. */
function onePage(): string {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 72] >>',
  ];
  let body = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const start = body.length;
  return `${body}xref\n0 4\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
}
