import { z } from 'zod';

/**
 * What the agent must submit. Each recommendation is supported by at least one verbatim quote from the
 * corpus.
 */
export const Briefing = z.strictObject({
  question: z.string().min(1),
  summary: z.string().min(1).describe('two or three sentences'),
  recommendations: z
    .array(
      z.strictObject({
        statement: z.string().min(1),
        citations: z
          .array(
            z.strictObject({
              section: z.string().describe('the id of a section, as returned by the search'),
              quote: z
                .string()
                .min(10)
                .describe('the words of that section that support the statement, verbatim'),
            }),
          )
          .min(1),
      }),
    )
    .min(1),
  gaps: z.array(z.string()).describe('what the guidelines do not say'),
});

/**
 * The briefing, if it matches the schema and each citation resolves: the section is in the corpus, and the
 * quote is in the section.
 *
 * @param {unknown} value
 * @param {import('./corpus.mjs').Corpus} corpus
 * @returns {z.infer<typeof Briefing>}
 */
export function checkBriefing(value, corpus) {
  const briefing = Briefing.parse(value);
  const citations = briefing.recommendations.flatMap((recommendation) => recommendation.citations);
  const problems = citations.flatMap(({ section, quote }) => {
    const cited = corpus.section(section);
    if (cited === undefined) return [`"${section}" is not in the corpus`];
    return plain(cited.text).includes(plain(quote)) ? [] : [`"${section}" does not say "${quote}"`];
  });
  if (problems.length > 0)
    throw new Error(`The briefing has citations that do not resolve: ${problems.join('; ')}.`);
  return briefing;
}

/**
 * Spaces and line breaks may differ; words may not.
 *
 * @param {string} text
 */
function plain(text) {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/**
 * For a person to read, with its sources.
 *
 * @param {z.infer<typeof Briefing>} briefing
 */
export function printBriefing({ question, summary, recommendations, gaps }) {
  return [
    question,
    '',
    summary,
    '',
    ...recommendations.flatMap(({ statement, citations }) => [
      `• ${statement}`,
      ...citations.map(({ section, quote }) => `    [${section}] “${quote}”`),
    ]),
    ...(gaps.length > 0 ? ['', 'Not answered by the guidelines:', ...gaps.map((gap) => `• ${gap}`)] : []),
    '',
    'The guidelines are invented. This is not medical advice.',
  ].join('\n');
}
