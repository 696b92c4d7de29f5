// Asks what a grid changes, and starts it.

import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog";
import { CheckField, NumberField, SelectField, TextField } from "../parts/field";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/create";
import { choicesOf, type Catalog } from "./catalog";
import type { WorkflowRequest } from "./form";
import { axesOf, gridOf, mostCells, valuesOf } from "./grid";
import type { Draft } from "./machine";
import { Price, useEstimate, whyUnpriced } from "./price";
import { references } from "./reference";
import { usedOf } from "./used";

const words = text.grid;
const seedAxis = "seed";
const modelAxis = "model";

interface GridDialogProps {
  catalog: Catalog;
  draft: Draft;
  onStart: (request: WorkflowRequest) => void;
  onClose: () => void;
}

export default function GridDialog({ catalog, draft, onStart, onClose }: GridDialogProps) {
  const { tool, model, request } = draft;
  const axes = axesOf(tool, model);
  const models = tool.modelArgument ? choicesOf(tool, catalog).filter((c) => c.served !== "noWorker") : [];
  const hasSeed = tool.arguments.some((a) => a.name === "seed");
  const options = [
    ...(hasSeed ? [{ value: seedAxis, label: words.seeds }] : []),
    ...(models.length > 1 ? [{ value: modelAxis, label: words.models }] : []),
    ...axes.map((a) => ({ value: a.name!, label: labelOf(a.name!) })),
  ];
  const [axis, setAxis] = useState(options[0]?.value ?? "");
  const [count, setCount] = useState<number | undefined>(4);
  const [chosen, setChosen] = useState<string[]>([]);
  const [written, setWritten] = useState("");
  const argument = axes.find((a) => a.name === axis);
  const read = argument ? valuesOf(argument, written || (argument.enum ?? []).join(",")) : [];
  const [first] = useState(() => Math.floor(Math.random() * 1_000_000));
  const values: unknown[] =
    axis === seedAxis
      ? Array.from({ length: count ?? 0 }, (_, i) => first + i)
      : axis === modelAxis
        ? chosen
        : Array.isArray(read)
          ? read
          : [];
  const isReady = values.length >= 2 && values.length <= mostCells;
  const name = axis === modelAxis ? tool.modelArgument! : axis;
  const wanted = isReady ? gridOf(request, tool, name, values, words.titleOf(labelOf(name))) : null;
  const { estimate, error } = useEstimate(wanted);
  const used = usedOf(draft, references.value, values.length);
  const isTooMuch = isReady && estimate?.sufficient === false;
  const start = (event: Event) => {
    event.preventDefault();
    event.stopPropagation(); // the form of the page is around it
    if (wanted) onStart(wanted);
  };
  return (
    <Dialog title={words.title} onClose={onClose}>
      <form class="stack" onSubmit={start}>
        <p class="small muted">
          {words.help(mostCells)}
          {tool.countArgument && ` ${words.one}`}
        </p>
        <SelectField label={words.axis} value={axis} onInput={setAxis} options={options} />
        {axis === seedAxis && (
          <NumberField label={words.count} value={count} onInput={setCount} min={2} max={mostCells} step={1} />
        )}
        {axis === modelAxis &&
          models.map((m) => (
            <CheckField
              key={m.value}
              label={m.label}
              value={chosen.includes(m.value)}
              onInput={(on) => setChosen(on ? [...chosen, m.value] : chosen.filter((c) => c !== m.value))}
            />
          ))}
        {argument && (
          <TextField
            label={words.values}
            help={words.valuesHelp}
            placeholder={(argument.enum ?? []).join(", ")}
            value={written}
            onInput={setWritten}
            error={written && !Array.isArray(read) ? words.wrong[read] : undefined}
          />
        )}
        {isReady && used && <p class="cut small muted">{used}</p>}
        <Price estimate={isReady ? estimate : undefined} why={isReady ? whyUnpriced(error) : words.priceWaits} />
        <footer>
          <button class="primary" disabled={!isReady || isTooMuch}>
            {text.make(values.length)}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
