// Views of the list that this browser keeps for the account.

import { useState } from "preact/hooks";
import { keep, kept } from "../keep";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { IconButton } from "../parts/icon";
import { session } from "../session";
import { text } from "../texts/workflow";
import { filters, filtersIn, isSame, maxName, parseViews, withView, type Filters, type View } from "./views";

const words = text.views;

interface SavedViewsProps {
  query: Record<string, string>;
  change: (change: Filters) => void;
}

/** The views of the account that is signed in. */
export function SavedViews(props: SavedViewsProps) {
  const wallet = session.value?.walletAddress ?? "";
  return <ViewsOf key={wallet} {...props} storageKey={`atelier.views.${wallet}`} />;
}

function ViewsOf({ query, change, storageKey }: SavedViewsProps & { storageKey: string }) {
  const [views, setViews] = useState(() => parseViews(kept(storageKey)));
  const [isNaming, setNaming] = useState(false);
  const current = filtersIn(query);
  const shown = views.find((v) => isSame(v.filters, current));
  const store = (list: View[]) => {
    setViews(list);
    keep(storageKey, JSON.stringify(list));
  };
  const isFiltered = Object.keys(current).length > 0;
  if (!views.length && !isFiltered) return null;
  return (
    <div class="saved-views" role="group" aria-label={words.title}>
      {views.map((view) => (
        <button
          key={view.name}
          class="choice"
          aria-pressed={view === shown}
          onClick={() => change(Object.fromEntries(filters.map((name) => [name, view.filters[name] ?? ""])))}>
          {view.name}
        </button>
      ))}
      {shown && (
        <IconButton
          icon="trash"
          size={16}
          label={words.remove(shown.name)}
          onClick={() => store(views.filter((v) => v !== shown))}
        />
      )}
      {isFiltered && !shown && (
        <button class="quiet" onClick={() => setNaming(true)}>
          {words.save}
        </button>
      )}
      {isNaming && (
        <NameDialog
          onClose={() => setNaming(false)}
          onName={(name) => {
            store(withView(views, name, current));
            setNaming(false);
          }}
        />
      )}
    </div>
  );
}

function NameDialog({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  return (
    <Dialog title={words.saveTitle} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim()) onName(name.trim());
        }}>
        <TextField label={words.name} value={name} onInput={setName} maxLength={maxName} />
        <p class="small muted">{words.where}</p>
        <footer>
          <button class="primary" disabled={!name.trim()}>
            {words.saveConfirm}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
