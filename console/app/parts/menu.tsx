// A few actions behind one button. Escape and a click elsewhere close it.

import { useRef } from "preact/hooks";
import { useListener } from "../hooks";
import { Icon, type IconName } from "./icon";

export interface MenuItem {
  label: string;
  run: () => void;
  /** It destroys something: it stands apart. */
  isDanger?: boolean;
}

export function Menu({
  label,
  icon,
  items,
  disabled,
}: {
  label: string;
  icon?: IconName;
  items: MenuItem[];
  disabled?: boolean;
}) {
  const element = useRef<HTMLDetailsElement>(null);
  useListener("click", (event) => {
    if (element.current?.open && !element.current.contains(event.target as Node)) element.current.open = false;
  });
  const close = () => {
    element.current!.open = false;
    element.current!.querySelector("summary")!.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !element.current!.open) return;
    event.preventDefault(); // what it is in stays open
    close();
  };
  return (
    <details class="menu" ref={element} onKeyDown={onKey}>
      <summary class="quiet" aria-disabled={disabled}>
        {icon && <Icon name={icon} size={16} />} <span class="menu-label">{label}</span> <Icon name="down" size={12} />
      </summary>
      <div class="menu-items">
        {items.map((item) => (
          <button
            type="button"
            key={item.label}
            class={item.isDanger ? "danger-item" : undefined}
            disabled={disabled}
            onClick={() => {
              close();
              item.run();
            }}>
            {item.label}
          </button>
        ))}
      </div>
    </details>
  );
}
