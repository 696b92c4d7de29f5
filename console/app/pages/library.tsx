// The page "library": everything made and saved.

import { useLocation } from "preact-iso/router";
import { useTitle } from "../hooks";
import { Loras } from "../library/loras";
import { Made } from "../library/made";
import { Uploads } from "../library/uploads";
import { Choices } from "../parts/field";
import { text } from "../texts/library";

export default function Page() {
  useTitle(text.title);
  const { query, route } = useLocation();
  const tab = query.tab ?? "made";
  return (
    <>
      <div class="page-head">
        <h1>{text.title}</h1>
        <Choices
          label={text.tab}
          value={tab}
          onInput={(t) => route(t === "made" ? "/library" : `/library?tab=${t}`)}
          options={Object.entries(text.tabs).map(([value, label]) => ({ value, label }))}
        />
      </div>
      {tab === "uploads" ? <Uploads /> : tab === "loras" ? <Loras /> : <Made />}
    </>
  );
}
