// One conversation, two agents that share nothing but the store. The model is scripted, so that it runs
// offline.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getSessionMessages, listSessions, query } from 'tenon';
import { embedded } from 'tenon/runtime';
import { scriptedModel } from 'tenon/testing';
import { SqliteSessionStore } from './sqlite-session-store.mjs';

// `npm start | head -n 1`: with nobody left to read it, it still cleans up.
process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== 'EPIPE') throw error;
});

const folder = mkdtempSync(join(tmpdir(), 'tenon-session-stores-'));
const sessionStore = new SqliteSessionStore(join(folder, 'conversations.db'));

/** @param {string} prompt @param {string} answer @param {string} [resume] */
async function agent(prompt, answer, resume) {
  const model = scriptedModel([answer]);
  const options = { runtime: embedded({ model }), sessionStore, ...(resume === undefined ? {} : { resume }) };
  const { session_id } = await query({ prompt, options }).done;
  return { sessionId: session_id, read: model.requests[0]?.messages.length ?? 0 };
}

const first = await agent('Remember the number 7.', 'I will.');
const second = await agent('Which number was it?', '7.', first.sessionId);
console.log(`The second agent read ${second.read} messages from the store.`);

for (const { summary, sessionId } of await listSessions({ sessionStore })) {
  console.log(`\n${summary} (${sessionId})`);
  for (const { type, message } of await getSessionMessages(sessionId, { sessionStore })) {
    const { content } = /** @type {{ content: { text: string }[] }} */ (message);
    console.log(`  ${type}: ${content.map(({ text }) => text).join('')}`);
  }
}
sessionStore.close();
rmSync(folder, { recursive: true });
if (second.read !== 3 || second.sessionId !== first.sessionId) process.exitCode = 1;
