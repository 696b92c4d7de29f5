// The dialog that chooses the tool of a new stage.

import { useRef, useState } from "preact/hooks";
import { words } from "../format";
import { Dialog } from "../parts/dialog";
import { Icon, kindIcon } from "../parts/icon";
import type { Tool } from "../template/model";
import { text } from "../texts/builder";
import { fittingArguments, type Source, type Tools } from "./connect";
import { nameOf } from "./parts";
import { rank } from "./rank";

/** What a tool does. Other tools that it names are named as they are shown. */
export const descriptionOf = (tool: Tool, tools: Tools) =>
  tool.description.replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (name) => (tools.has(name) ? words(name) : name));

interface ToolDialogProps {
  tools: Tools;
  source?: Source;
  onPick: (tool: Tool) => void;
  onClose: () => void;
}

/** The tools that a new stage can have: all, or those that take what a source gives. Enter takes the first. */
export function ToolDialog({ tools, source, onPick, onClose }: ToolDialogProps) {
  const [term, setTerm] = useState("");
  const element = useRef<HTMLDivElement>(null);
  const fitting = [...tools.values()].filter((tool) => !source?.kind || fittingArguments(source, tool).length);
  const found = rank(fitting, term);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.isComposing) return;
    event.preventDefault();
    const stops = [...element.current!.querySelectorAll<HTMLElement>("input, button")];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    // The field stands for the first tool, which Enter takes: the arrow goes to the one after it.
    const skip = at === 0 && step > 0 && stops.length > 2 ? 1 : 0;
    stops[(at + step + skip + stops.length) % stops.length].focus();
  };
  return (
    <Dialog title={source ? text.addAfter(nameOf(source)) : text.addTitle} onClose={onClose}>
      <div class="stack" ref={element} onKeyDown={onKey}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (found.length) onPick(found[0]);
          }}>
          <input
            type="search"
            aria-label={text.searchTools}
            placeholder={text.searchTools}
            value={term}
            onInput={(event) => setTerm(event.currentTarget.value)}
          />
          <p class="offscreen" role="status">
            {found.length > 0 && text.toolsFound(found.length, words(found[0].name))}
          </p>
        </form>
        {!found.length && <p class="muted">{tools.size ? text.addNone : text.noTools}</p>}
        <ul class="picker">
          {found.map((tool) => (
            <li key={tool.name}>
              <button class="picker-item" onClick={() => onPick(tool)}>
                <span class={`kind-${tool.produces ?? ""}`}>
                  <Icon name={tool.produces ? kindIcon(tool.produces) : "workflow"} size={18} />
                </span>
                <span>
                  <strong>{words(tool.name)}</strong> <span class="small muted">{descriptionOf(tool, tools)}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
