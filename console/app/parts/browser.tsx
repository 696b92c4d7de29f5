// What a person chooses for this browser.

import { canNotify, notices, setNotices } from "../notices";
import { text } from "../texts/shell";
import { theme, themes } from "../theme";
import { CheckField, SelectField } from "./field";
import { toastError } from "./toast";

export function BrowserSettings() {
  return (
    <section class="panel stack">
      <h2>{text.browser}</h2>
      <SelectField
        label={text.colours}
        value={theme.value}
        onInput={(to) => (theme.value = to)}
        options={themes.map((value) => ({ value, label: text.themes[value] }))}
      />
      {canNotify && (
        <CheckField
          label={text.notices.on}
          value={notices.value}
          onInput={(wanted) => void setNotices(wanted).catch(toastError)}
        />
      )}
    </section>
  );
}
