// What pages with live figures say, once, while the service cannot be reached.

import { createContext } from "preact";
import { clock } from "../format";
import { lostAt } from "../reach";
import { text } from "../texts/shell";

/** Whether the page says it above what it shows, so that its parts need not. */
export const SaysOutage = createContext(false);

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
