// What every page says, once, while the service cannot be reached.

import { clock } from "../format";
import { lostAt } from "../reach";
import { text } from "../texts/shell";

/** The place of the notice is there before it, so that it is read out when it comes. */
export function Outage() {
  return (
    <div role="status" class="outage">
      {lostAt.value && (
        <div class="notice bad">
          <p>
            <strong>{text.lost(clock(lostAt.value))}</strong> {text.lostHelp}
          </p>
        </div>
      )}
    </div>
  );
}
