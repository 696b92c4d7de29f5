// The dialog that chooses the tool of a new stage.

import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog";
import { CheckField } from "../parts/field";
import { Icon, kindIcon } from "../parts/icon";
import { Picker } from "../parts/picker";
import type { Tool } from "../template/model";
import { text } from "../texts/builder";
import { fittingArguments, type Source, type Tools } from "./connect";
import { descriptionOf, findTools, offered, toolName } from "./find-tools";
import { nameOf } from "./parts";

interface ToolDialogProps {
  tools: Tools;
  source?: Source;
  /** Called with the tool, and with the source unless the stage is not to be connected. */
  onPick: (tool: Tool, source?: Source) => void;
  onClose: () => void;
}

/** The tools that a new stage can have: all, or those that take what a source gives. */
export function ToolDialog({ tools, source: given, onPick, onClose }: ToolDialogProps) {
  const [isConnected, setConnected] = useState(true);
  const source = isConnected ? given : undefined;
  const fitting = offered(tools).filter((tool) => !source?.kind || fittingArguments(source, tool).length);
  return (
    <Dialog title={source ? text.addAfter(nameOf(source)) : text.addTitle} onClose={onClose} high>
      <Picker
        label={text.searchTools}
        find={(term) => findTools(fitting, term)}
        nameOf={toolName}
        draw={(tool) => (
          <>
            <span class={`kind-${tool.produces ?? ""}`}>
              <Icon name={tool.produces ? kindIcon(tool.produces) : "workflow"} size={18} />
            </span>
            <span>
              <strong>{toolName(tool)}</strong> <span class="small muted">{descriptionOf(tool)}</span>
            </span>
          </>
        )}
        onPick={(tool) => onPick(tool, source)}
        none={tools.size ? text.addNone : text.noTools}
        found={text.toolsFound}
      />
      {given?.kind && (
        <CheckField label={text.addConnected(nameOf(given))} value={isConnected} onInput={setConnected} />
      )}
    </Dialog>
  );
}
