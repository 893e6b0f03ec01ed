// A chat page as the AI SDK's guide has it: `useChat` with its usual transport, and nothing of ours.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';

const id = new URLSearchParams(location.search).get('chat');
const transport = new DefaultChatTransport({ api: '/agent/chat' });

function Button({ name, onClick }) {
  return h('button', { type: 'button', onClick }, name);
}

function Part({ part, answer }) {
  if (part.type === 'text') return h('p', { 'data-part': 'text' }, part.text);
  if (part.type === 'reasoning') return h('em', { 'data-part': 'reasoning' }, part.text);
  if (part.type !== 'dynamic-tool') return null;
  const { toolName, state, input, output, errorText, approval } = part;
  return h(
    'section',
    { 'data-tool': toolName, 'data-state': state },
    h('code', { 'data-part': 'input' }, JSON.stringify(input)),
    output !== undefined && h('output', null, String(output)),
    errorText !== undefined && h('strong', null, errorText),
    state === 'approval-requested' &&
      h(Button, { name: 'Approve', onClick: () => answer({ id: approval.id, approved: true }) }),
    state === 'approval-requested' &&
      h(Button, { name: 'Deny', onClick: () => answer({ id: approval.id, approved: false, reason: 'No.' }) }),
  );
}

function Chat({ messages: loaded }) {
  const chat = useChat({
    id,
    messages: loaded,
    resume: true,
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const { messages, status, error, sendMessage, stop, resumeStream, addToolApprovalResponse: answer } = chat;
  const send = (event) => {
    event.preventDefault();
    const field = event.target.elements.namedItem('text');
    sendMessage({ text: field.value });
    field.value = '';
  };
  const end = async () => {
    await stop();
    const headers = { 'content-type': 'application/json' };
    await fetch(`/agent/chat/${id}/stop`, { method: 'POST', headers, body: '{}' });
  };
  return h(
    'main',
    { 'data-status': status },
    messages.map((message) =>
      h(
        'article',
        { key: message.id, 'data-role': message.role },
        message.parts.map((part, index) => h(Part, { key: index, part, answer })),
      ),
    ),
    error !== undefined && h('p', { role: 'alert' }, error.message),
    h(
      'form',
      { onSubmit: send },
      h('input', { name: 'text', 'aria-label': 'Message' }),
      h('button', { type: 'submit' }, 'Send'),
    ),
    h(Button, { name: 'Stop', onClick: end }),
    h(Button, { name: 'Resume', onClick: () => resumeStream() }),
  );
}

const response = await fetch(`/agent/chat/${id}/messages`);
createRoot(document.body).render(h(Chat, { messages: await response.json() }));
