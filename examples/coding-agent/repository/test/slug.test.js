import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from '../src/slug.js';

test('one word', () => assert.equal(slug('Soups'), 'soups'));
test('marks over letters', () => assert.equal(slug('Crème'), 'creme'));
test('several words', () => assert.equal(slug('Fish & Chips, twice'), 'fish-chips-twice'));
test('nothing but signs', () => assert.equal(slug('!?'), ''));
