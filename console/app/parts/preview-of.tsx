// That a result was drawn without its model.

import { text } from "../texts/create";
import { Chip } from "./chip";

export function PreviewOf({ model }: { model: string }) {
  return (
    <>
      <Chip tone="warn" title={text.result.previewAbout}>
        {text.result.preview}
      </Chip>{" "}
      <span class="muted">{text.result.inPlaceOf(model)}</span>
    </>
  );
}
