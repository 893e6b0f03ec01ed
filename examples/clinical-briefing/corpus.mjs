// The guidelines as sections that can be searched and cited. Every word of them is invented: see
// corpus/README.md.

import { readdir, readFile } from 'node:fs/promises';
import MiniSearch from 'minisearch';

/**
 * @typedef {{ id: string, guideline: string, heading: string, text: string }} Section
 * @typedef {Awaited<ReturnType<typeof openCorpus>>} Corpus
 */

const FOLDER = new URL('corpus/', import.meta.url);
const SECTION = /^## (?<heading>.+?) \{(?<id>[\w-]+)\}\n(?<text>(?:(?!## ).*\n?)*)/gm;

export async function openCorpus() {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.md') && name !== 'README.md').sort();
  const sections = (await Promise.all(files.map(sectionsOf))).flat();
  const index = new MiniSearch({
    fields: ['guideline', 'heading', 'text'],
    searchOptions: { boost: { heading: 2, guideline: 1.5 }, prefix: true, fuzzy: 0.2 },
  });
  index.addAll(sections);
  const byId = new Map(sections.map((section) => [section.id, section]));
  return {
    sections,
    /** @param {string} id */
    section: (id) => byId.get(id),
    /**
     * The best sections first.
     *
     * @param {string} words
     * @param {number} limit
     * @returns {Section[]}
     */
    search: (words, limit) => {
      const hits = index.search(words).slice(0, limit);
      return hits.flatMap(({ id }) => byId.get(id) ?? []);
    },
  };
}

/**
 * @param {string} file
 * @returns {Promise<Section[]>}
 */
async function sectionsOf(file) {
  const text = await readFile(new URL(file, FOLDER), 'utf8');
  const guideline = /^# (.+)$/m.exec(text)?.[1] ?? file;
  return [...text.matchAll(SECTION)].map(({ groups = {} }) => ({
    id: `${file.replace(/\.md$/, '')}#${groups.id}`,
    guideline,
    heading: groups.heading ?? '',
    text: (groups.text ?? '').trim(),
  }));
}
