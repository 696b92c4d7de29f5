// What one conversation is answered by: the model, its instructions and its temperature.

import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog";
import { NumberField, SelectField, TextField } from "../parts/field";
import { text } from "../texts/chat";
import { setChoices, type Choices } from "./draft";

export function ConversationSettings({
  id,
  choices,
  models,
  onClose,
}: {
  id: string;
  choices: Choices;
  models: string[];
  onClose: () => void;
}) {
  const [model, setModel] = useState(choices.model);
  const [instructions, setInstructions] = useState(choices.instructions);
  const [temperature, setTemperature] = useState(choices.temperature);
  const save = (event: Event) => {
    event.preventDefault();
    setChoices(id, { model, instructions, temperature });
    onClose();
  };
  return (
    <Dialog title={text.settingsTitle} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <SelectField
          label={text.model}
          value={model}
          onInput={setModel}
          options={models.map((m, i) => ({ value: i === 0 ? "" : m, label: m }))}
        />
        <TextField
          label={text.instructions}
          help={text.instructionsHelp}
          value={instructions}
          onInput={setInstructions}
          multiline
          rows={6}
          maxLength={20000}
        />
        <NumberField
          label={text.temperature}
          help={text.temperatureHelp}
          value={temperature ?? undefined}
          onInput={(value) => setTemperature(value ?? null)}
          min={0}
          max={2}
          step={0.1}
        />
        <p class="small muted">{text.settingsHelp}</p>
        <footer>
          <button class="primary">{text.save}</button>
        </footer>
      </form>
    </Dialog>
  );
}
