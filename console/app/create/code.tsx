// The request of the form as code, to run it without the console.

import { useState } from "preact/hooks";
import { Code } from "../parts/code";
import { Dialog } from "../parts/dialog";
import { Choices } from "../parts/field";
import { jsonSample, languages, type Language } from "../reference/samples";
import { text } from "../texts/create";

const shown = [...languages, "json"] as const;

export default function CodeDialog({ body, onClose }: { body: object; onClose: () => void }) {
  const [language, setLanguage] = useState<Language | "json">("curl");
  const code =
    language === "json"
      ? JSON.stringify(body, null, 2)
      : jsonSample(language, "POST", location.origin + "/v1/creative-agent/workflows", body);
  return (
    <Dialog title={text.code.title} onClose={onClose} wide>
      <Choices<Language | "json">
        label={text.code.language}
        value={language}
        onInput={setLanguage}
        options={shown.map((value) => ({ value, label: text.code.languages[value] }))}
      />
      <Code code={code} language={language === "curl" ? "bash" : language} title={text.code.languages[language]} />
      <p class="muted small">{text.code.about}</p>
    </Dialog>
  );
}
