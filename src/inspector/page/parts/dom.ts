import { nothing } from 'lit-html';
import { Directive, directive, type ElementPart } from 'lit-html/directive.js';

type Styles = Readonly<Record<string, string | undefined>>;

class StyleDirective extends Directive {
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

type Attach = (element: HTMLElement) => void;

class AttachedDirective extends Directive {
  #element: Element | undefined;

  override update(part: ElementPart, [attach]: [Attach]): typeof nothing {
    if (this.#element === part.element) return nothing;
    this.#element = part.element;
    // It is put into the page when all of it has been made.
    queueMicrotask(() => attach(part.element as HTMLElement));
    return nothing;
  }

  override render(_attach: Attach): typeof nothing {
    return nothing;
  }
}

/** Calls a function with the element when it appears. */
export const attached = directive(AttachedDirective);

/** Follows the inner size of an element, for as long as it is in the page. */
export function measured(onSize: (width: number, height: number) => void): Attach {
  return (element) => {
    const observer = new ResizeObserver(() => {
      if (element.isConnected) onSize(element.clientWidth, element.clientHeight);
      else observer.disconnect();
    });
    observer.observe(element);
    onSize(element.clientWidth, element.clientHeight);
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
