// What a person chooses for this browser.

import { useState } from "preact/hooks";
import { canNotify, notices, setNotices } from "../notices";
import { text } from "../texts/shell";
import { theme, themes } from "../theme";
import { CheckField, SelectField } from "./field";

export function BrowserSettings() {
  const [refusal, setRefusal] = useState<string>();
  const choose = (wanted: boolean) => {
    setRefusal(undefined);
    void setNotices(wanted).catch((error: Error) => setRefusal(error.message)); // drawn again, without the tick
  };
  return (
    <section class="panel stack">
      <h2>{text.browser}</h2>
      <SelectField
        label={text.colours}
        value={theme.value}
        onInput={(to) => (theme.value = to)}
        options={themes.map((value) => ({ value, label: text.themes[value] }))}
      />
      {canNotify && <CheckField label={text.notices.on} value={notices.value} error={refusal} onInput={choose} />}
    </section>
  );
}
