import { createSdkMcpServer, tool } from 'tenon';
import { z } from 'zod';

/** @param {import('./corpus.mjs').Corpus} corpus */
export function guidelineServer(corpus) {
  const search = tool(
    'search_clinical_guidelines',
    'Search the (invented) guidelines. Returns the best sections, each with the id to cite it by.',
    {
      query: z.string().trim().min(2).max(200).describe('a few words, for example "calquine kidneys dose"'),
      limit: z.number().int().min(1).max(10).default(3).describe('how many sections'),
    },
    ({ query, limit }) => {
      const sections = corpus.search(query, limit);
      if (sections.length === 0) return `No guideline mentions "${query}". Try other words.`;
      return sections
        .map(({ id, guideline, heading, text }) => `[${id}] ${guideline} – ${heading}\n${text}`)
        .join('\n\n');
    },
    // Read-only: the agent may run several searches of one answer at the same time.
    { annotations: { readOnlyHint: true } },
  );
  return createSdkMcpServer({ name: 'guidelines', tools: [search], alwaysLoad: true });
}
