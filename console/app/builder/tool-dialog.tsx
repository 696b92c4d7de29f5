// The dialog that chooses the tool of a new stage.

import { words } from "../format";
import { Dialog } from "../parts/dialog";
import { Icon, kindIcon } from "../parts/icon";
import { Picker } from "../parts/picker";
import { rank } from "../parts/rank";
import type { Tool } from "../template/model";
import { text } from "../texts/builder";
import { fittingArguments, type Source, type Tools } from "./connect";
import { nameOf } from "./parts";

/** What a tool does. Other tools that it names are named as they are shown. */
export const descriptionOf = (tool: Tool, tools: Tools) =>
  tool.description.replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (name) => (tools.has(name) ? words(name) : name));

interface ToolDialogProps {
  tools: Tools;
  source?: Source;
  onPick: (tool: Tool) => void;
  onClose: () => void;
}

/** The tools that a new stage can have: all, or those that take what a source gives. */
export function ToolDialog({ tools, source, onPick, onClose }: ToolDialogProps) {
  const fitting = [...tools.values()].filter((tool) => !source?.kind || fittingArguments(source, tool).length);
  return (
    <Dialog title={source ? text.addAfter(nameOf(source)) : text.addTitle} onClose={onClose}>
      <Picker
        label={text.searchTools}
        find={(term) => rank(fitting, term, toolName, ({ description }) => description)}
        nameOf={toolName}
        draw={(tool) => (
          <>
            <span class={`kind-${tool.produces ?? ""}`}>
              <Icon name={tool.produces ? kindIcon(tool.produces) : "workflow"} size={18} />
            </span>
            <span>
              <strong>{toolName(tool)}</strong> <span class="small muted">{descriptionOf(tool, tools)}</span>
            </span>
          </>
        )}
        onPick={onPick}
        none={tools.size ? text.addNone : text.noTools}
        found={text.toolsFound}
      />
    </Dialog>
  );
}

const toolName = (tool: Tool) => words(tool.name);
