import { z } from 'zod';
import { Briefing, checkBriefing, printBriefing } from './briefing.mjs';
import { openCorpus } from './corpus.mjs';
import { guidelineServer } from './tools.mjs';

const SEARCH = 'mcp__guidelines__search_clinical_guidelines';

/** @type {import('../shared/agent.mjs').Example} */
export const example = {
  name: 'clinical-briefing',
  question:
    'Brief me: an adult with suspected Veltria fever, a filtration index of 32, and morvastan as regular medication. What to give, and what to watch?',
  systemPrompt:
    'You write briefings from the guidelines you can search, and from nothing else. Search for each aspect of the question, in one go. ' +
    'Each recommendation cites the sections that support it, with a verbatim quote. Say what the guidelines leave open.',
  open: async () => {
    const corpus = await openCorpus();
    return {
      options: {
        mcpServers: { guidelines: guidelineServer(corpus) },
        allowedTools: ['mcp__guidelines__*'],
        outputFormat: { type: 'json_schema', schema: z.toJSONSchema(Briefing) },
      },
      conclude: (result) => {
        const output = result.subtype === 'success' ? result.structured_output : undefined;
        if (output === undefined)
          throw new Error(`There is no briefing: the run ended with ${result.subtype}.`);
        return printBriefing(checkBriefing(output, corpus));
      },
    };
  },
  script: ({ index, question, results }) => {
    if (index === 0) {
      return [
        { name: SEARCH, input: { query: 'Veltria fever first treatment' } },
        { name: SEARCH, input: { query: 'calquine impaired kidneys filtration index' } },
        { name: SEARCH, input: { query: 'calquine morvastan interaction' } },
        { name: SEARCH, input: { query: 'calquine monitoring' } },
      ];
    }
    const found = results.map(({ text }) => text).join('\n\n');
    return [{ name: 'StructuredOutput', input: briefingFrom(found, question) }];
  },
};

/**
 * What a model would write from the sections: it can cite only what the searches found.
 *
 * @param {string} found
 * @param {string} question
 */
export function briefingFrom(found, question) {
  const cite = (/** @type {string} */ section, /** @type {string} */ quote) => ({
    section: found.includes(`[${section}]`) ? section : `not found: ${section}`,
    quote,
  });
  return {
    question,
    summary:
      'Start calquine at once, at half the dose because of the kidneys. Pause morvastan. Watch the filtration index.',
    recommendations: [
      {
        statement:
          'Give calquine 100 mg twice a day for seven days: half the usual dose, as the filtration index is below 40.',
        citations: [
          cite('veltria-fever#first-treatment', 'Start oral calquine 200 mg twice a day for seven days'),
          cite('veltria-fever#kidneys', 'Halve the dose of calquine when the filtration index is below 40.'),
        ],
      },
      {
        statement: 'Stop morvastan during the treatment and for two days after it.',
        citations: [
          cite(
            'calquine-safety#interactions',
            'Stop morvastan while calquine is given, and for two days after the last dose.',
          ),
        ],
      },
      {
        statement: 'Measure the filtration index now and on day three.',
        citations: [
          cite(
            'calquine-safety#monitoring',
            'Measure the filtration index before the first dose and again on day three.',
          ),
        ],
      },
    ],
    gaps: ['Whether the dose should change when the index improves during the treatment.'],
  };
}
