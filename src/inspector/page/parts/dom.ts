import { nothing } from 'lit-html';
import { AsyncDirective, directive } from 'lit-html/async-directive.js';
import type { ElementPart } from 'lit-html/directive.js';

type Styles = Readonly<Record<string, string | undefined>>;

class StyleDirective extends AsyncDirective {
  override update(part: ElementPart, [styles]: [Styles]): typeof nothing {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(styles)) {
      if (value === undefined) style.removeProperty(name);
      else if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
    }
    return nothing;
  }

  override render(_styles: Styles): typeof nothing {
    return nothing;
  }
}

/** Sets styles one by one: the page's policy does not let an attribute `style` through. */
export const styled = directive(StyleDirective);

type Attach = (element: HTMLElement) => (() => void) | undefined;

class AttachedDirective extends AsyncDirective {
  #element: Element | undefined;
  #detach: (() => void) | undefined;

  override update(part: ElementPart, [attach]: [Attach]): typeof nothing {
    if (this.#element !== part.element) {
      this.#detach?.();
      this.#detach = undefined;
      this.#element = part.element;
      // It is put into the page when all of it has been made.
      queueMicrotask(() => {
        if (this.#element === part.element) this.#detach = attach(part.element as HTMLElement);
      });
    }
    return nothing;
  }

  override disconnected(): void {
    this.#detach?.();
    this.#detach = undefined;
    this.#element = undefined;
  }

  override render(_attach: Attach): typeof nothing {
    return nothing;
  }
}

/** Calls a function with the element when it appears, and what that returned when it goes. */
export const attached = directive(AttachedDirective);

/** Follows the inner size of an element. */
export function measured(onSize: (width: number, height: number) => void): Attach {
  return (element) => {
    const tell = (): void => onSize(element.clientWidth, element.clientHeight);
    const observer = new ResizeObserver(tell);
    observer.observe(element);
    tell();
    return () => observer.disconnect();
  };
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

/** Puts text on the clipboard; false where the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
