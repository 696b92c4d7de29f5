// The page "library": everything made and saved.

import { useLocation } from "preact-iso/router";
import { useTitle } from "../hooks";
import { BoardDialog, BoardList } from "../library/board-list";
import { useDropped } from "../library/drop";
import { addressWith } from "../library/filter";
import { Loras } from "../library/loras";
import { Made } from "../library/made";
import { Uploads } from "../library/uploads";
import { Choices } from "../parts/field";
import { useNarrow } from "../query";
import { text } from "../texts/library";

export default function Page() {
  useTitle(text.title);
  const { query, route } = useLocation();
  const { tab = "made", board, favourite, tag } = query;
  const { dragging, forTab } = useDropped(tab);
  const isNarrow = useNarrow();
  return (
    <>
      <div class="page-head library-head">
        <h1>{text.title}</h1>
        <Choices
          label={text.tab}
          value={tab}
          onInput={(t) =>
            route(
              t === "loras"
                ? "/library?tab=loras"
                : addressWith({ board, favourite, tag }, { tab: t === "made" ? "" : t }),
            )
          }
          options={Object.entries(text.tabs).map(([value, label]) => ({ value, label }))}
        />
      </div>
      {tab === "loras" ? (
        <Loras arrived={forTab("loras")} />
      ) : (
        <div class="library-frame">
          {!isNarrow && <BoardList />}
          <BoardDialog />
          <div class="library-main">{tab === "uploads" ? <Uploads arrived={forTab("uploads")} /> : <Made />}</div>
        </div>
      )}
      {dragging && (
        <div class="drop-hint" aria-hidden="true">
          {text.drop}
        </div>
      )}
    </>
  );
}
