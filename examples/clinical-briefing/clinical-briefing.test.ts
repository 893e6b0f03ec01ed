import { beforeAll, describe, expect, it } from 'vitest';
import { backends, play } from '../shared/testing.js';
import { checkBriefing } from './briefing.mjs';
import { type Corpus, openCorpus } from './corpus.mjs';
import { briefingFrom, example } from './example.mjs';

const SEARCH = 'mcp__guidelines__search_clinical_guidelines';
let corpus: Corpus;
beforeAll(async () => {
  corpus = await openCorpus();
});

/** The example, with a model that hands in another briefing. */
const handingIn = (...briefings: object[]): typeof example => ({
  ...example,
  script: (turn) => {
    const input = { ...briefings[turn.index - 1] };
    return turn.index === 0 ? example.script(turn) : [{ name: 'StructuredOutput', input }];
  },
});

const good = (): ReturnType<typeof briefingFrom> =>
  briefingFrom(corpus.sections.map(({ id }) => `[${id}]`).join(), 'What to give?');

function citing(section: string, quote: string) {
  const briefing = good();
  return { ...briefing, recommendations: [{ statement: 'Do it.', citations: [{ section, quote }] }] };
}

describe.each(backends)('the clinical briefing on %s (R37)', (backend) => {
  it('searches several times in one turn and hands in a briefing whose citations resolve', async () => {
    const { calls, result, messages } = await play(example, backend);
    expect(calls.filter(({ tool }) => tool === 'search_clinical_guidelines')).toHaveLength(4);
    const answers = messages
      .filter((message) => message.type === 'assistant')
      .map(({ message }) => message.id);
    expect(new Set(answers.slice(0, 4)).size).toBe(1);
    expect(calls.filter(({ isError }) => isError)).toEqual([]);
    expect(calls[0]?.text).toContain('[veltria-fever#first-treatment]');
    const output = result.subtype === 'success' ? result.structured_output : undefined;
    const { recommendations } = checkBriefing(output, corpus);
    expect(recommendations.flatMap(({ citations }) => citations)).toHaveLength(4);
  });

  it('fails when a citation does not resolve: no such section, or other words', async () => {
    const quote = 'Halve the dose of calquine when the filtration index is below 40.';
    await expect(play(handingIn(citing('veltria-fever#liver', quote)), backend)).rejects.toThrow(
      'citations that do not resolve: "veltria-fever#liver" is not in the corpus',
    );
    const invented = 'Double the dose of calquine when the filtration index is below 40.';
    await expect(play(handingIn(citing('veltria-fever#kidneys', invented)), backend)).rejects.toThrow(
      '"veltria-fever#kidneys" does not say "Double the dose',
    );
  });

  it('has a briefing that does not fit the schema corrected by the model', async () => {
    const uncited = { ...good(), recommendations: [{ statement: 'Trust me.', citations: [] }] };
    const { calls, result } = await play(handingIn(uncited, good()), backend);
    const handedIn = calls.filter(({ tool }) => tool === 'StructuredOutput');
    expect(handedIn.map(({ isError }) => isError)).toEqual([true, false]);
    expect(handedIn[0]?.text).toContain('citations');
    expect(result).toMatchObject({ subtype: 'success', structured_output: good() });
  });

  it('answers bad input with an error that says what is wrong, and no hit with a hint', async () => {
    const handIn = { name: 'StructuredOutput', input: good() };
    const script: typeof example.script = ({ index }) =>
      index > 0
        ? [handIn]
        : [
            { name: SEARCH, input: { query: '' } },
            { name: SEARCH, input: { query: 'calquine', limit: 0 } },
            { name: SEARCH, input: { limit: 3 } },
            { name: SEARCH, input: { query: 'xylophone' } },
          ];
    const { calls } = await play({ ...example, script }, backend);
    const searches = calls.filter(({ tool }) => tool === 'search_clinical_guidelines');
    expect(searches.map(({ isError }) => isError)).toEqual([true, true, true, false]);
    expect(searches.map(({ text }) => text)).toEqual([
      expect.stringContaining('query'),
      expect.stringContaining('limit'),
      expect.stringContaining('query'),
      'No guideline mentions "xylophone". Try other words.',
    ]);
  });
});

describe('the corpus', () => {
  it('has sections with ids of their own, all found by their own words', () => {
    expect(corpus.sections.length).toBeGreaterThan(15);
    expect(new Set(corpus.sections.map(({ id }) => id)).size).toBe(corpus.sections.length);
    for (const { id, guideline, heading, text } of corpus.sections) {
      expect(guideline).toContain('(invented)');
      expect(text.length, id).toBeGreaterThan(50);
      expect(corpus.search(`${guideline} ${heading}`, 3).map((section) => section.id)).toContain(id);
    }
  });

  it('forgives a wrong letter and an unfinished word', () => {
    expect(corpus.search('calqine kidnys', 3).map(({ id }) => id)).toContain('veltria-fever#kidneys');
    expect(corpus.search('pregnan', 1).map(({ id }) => id)).toEqual(['calquine-safety#pregnancy']);
  });
});
