import { html, nothing, type TemplateResult } from 'lit-html';
import { banner } from './parts/banner.js';
import { detail } from './parts/detail.js';
import { header } from './parts/header.js';
import { overlays } from './parts/overlays.js';
import { questionBar } from './parts/question-bar.js';
import { tabs } from './parts/tabs.js';
import { playground } from './play/playground.js';
import { isDetailOpen, isPlaying, selected, type ViewName, view, world } from './state/store.js';
import { contextView } from './views/context.js';
import { costView } from './views/cost.js';
import { diffView } from './views/diff.js';
import { messagesView } from './views/messages.js';
import { timelineView } from './views/timeline.js';
import { toolsView } from './views/tools.js';
import { wireView } from './views/wire.js';

const TEMPLATES: Readonly<Record<ViewName, () => TemplateResult>> = {
  timeline: timelineView,
  messages: messagesView,
  context: contextView,
  tools: toolsView,
  wire: wireView,
  cost: costView,
  diff: diffView,
};

export function app(): TemplateResult {
  const hasDetail = isDetailOpen.value && selected.value !== undefined;
  const classes = [
    hasDetail ? 'has-detail' : '',
    world.value.playground === undefined ? '' : 'has-play',
    isPlaying.value ? 'is-playing' : '',
  ].join(' ');
  return html`<div class="app ${classes}">
    ${header()} ${banner()} ${playground() ?? nothing} ${tabs()}
    <main>
      <div id="view" role="tabpanel" aria-labelledby="tab-${isPlaying.value ? 'play' : view.value}">
        ${TEMPLATES[view.value]()}
      </div>
    </main>
    ${detail()} ${questionBar()} ${overlays()}
  </div>`;
}
