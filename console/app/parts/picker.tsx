// A list to choose from by typing: Enter takes the first, the arrows another.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

interface PickerProps<T> {
  label: string;
  /** What fits a term, the best first. */
  find: (term: string) => T[];
  /** What is offered after that for any term, also when nothing fits. */
  last?: (term: string) => T[];
  /** Called with what is written, as it changes. */
  onTerm?: (term: string) => void;
  nameOf: (item: T) => string;
  /** What tells items apart whose names may be alike. */
  keyOf?: (item: T) => string;
  draw: (item: T) => ComponentChildren;
  onPick: (item: T) => void;
  /** What is shown when nothing fits. */
  none: string;
  /** What is said of the hits. */
  found: (count: number, first: string) => string;
}

export function Picker<T>({
  label,
  find,
  last,
  onTerm,
  nameOf,
  keyOf = nameOf,
  draw,
  onPick,
  none,
  found,
}: PickerProps<T>) {
  const [term, setTerm] = useState("");
  const element = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const items = find(term);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.isComposing) return;
    event.preventDefault();
    const stops = [...element.current!.querySelectorAll<HTMLElement>("input, button")];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    // The field stands for the first item, which Enter takes: the arrow leads to the one after it.
    const skip = at === 0 && step > 0 && stops.length > 2 ? 1 : 0;
    stops[(at + step + skip + stops.length) % stops.length].focus();
  };
  return (
    <div class="stack" ref={element} onKeyDown={onKey}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation(); // it may be within the form of a page
          const { value } = field.current!; // which may not be drawn yet
          const [first] = [...find(value), ...(last?.(value) ?? [])];
          if (first !== undefined) onPick(first);
        }}>
        <input
          ref={field}
          type="text" // Escape would clear a field of the type search, in place of closing the dialog
          role="searchbox"
          enterkeyhint="search"
          aria-label={label}
          placeholder={label}
          value={term}
          onInput={(event) => {
            setTerm(event.currentTarget.value);
            onTerm?.(event.currentTarget.value);
          }}
        />
        <p class="offscreen" role="status">
          {items.length > 0 && found(items.length, nameOf(items[0]))}
        </p>
      </form>
      {!items.length && <p class="muted">{none}</p>}
      <ul class="picker">
        {[...items, ...(last?.(term) ?? [])].map((item) => (
          <li key={keyOf(item)}>
            <button class="picker-item" onClick={() => onPick(item)}>
              {draw(item)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
