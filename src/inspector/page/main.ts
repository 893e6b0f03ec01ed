/* The inspector's page: reads the feed, and draws what it tells. */
import { effect } from '@preact/signals-core';
import { render } from 'lit-html';
import { app } from './app.js';
import { listenToKeys } from './keys.js';
import { followAddress } from './state/address.js';
import { readFeed } from './state/feed.js';
import { version, world } from './state/store.js';
import { applyTheme } from './state/theme.js';

const root = document.getElementById('page');

/** At most once for each picture of the screen, however much has changed. */
function drawOnChange(): void {
  let stop = (): void => {};
  const draw = (): void => {
    stop();
    let isFirst = true;
    stop = effect(() => {
      if (isFirst) render(app(), root as HTMLElement);
      else requestAnimationFrame(draw);
      isFirst = false;
    });
  };
  draw();
}

applyTheme();
followAddress();
drawOnChange();
effect(() => {
  void version.value;
  const title = world.value.hello?.title;
  document.title = title === undefined ? 'Tenon inspector' : `${title} – Tenon inspector`;
});
listenToKeys();
void readFeed();
