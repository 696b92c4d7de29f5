// The board on which Create puts what it makes. The service puts it there, also when the page is closed meanwhile.

import { computed, signal } from "@preact/signals";
import { ApiError, put } from "../api";
import { keep, kept } from "../keep";
import { useBoards } from "../library/boards";
import { SelectField } from "../parts/field";
import { IconButton } from "../parts/icon";
import { toastError } from "../parts/toast";
import { onForget, session } from "../session";
import { text } from "../texts/create";

const words = text.board;
const key = "atelier.create.board";

interface Chosen {
  wallet: string;
  id: string;
  name: string;
}

function read(): Chosen | null {
  try {
    const { wallet, id, name } = JSON.parse(kept(key) || "{}");
    return [wallet, id, name].every((value) => typeof value === "string") ? { wallet, id, name } : null;
  } catch {
    return null; // what is stored is not ours
  }
}

const stored = signal(read());

/** The chosen board of the account: another account has other boards. */
const chosen = computed(() => (stored.value?.wallet === session.value?.walletAddress ? stored.value : null));

function choose(board: Omit<Chosen, "wallet"> | null) {
  stored.value = board && { wallet: session.peek()!.walletAddress, ...board };
  keep(key, board ? JSON.stringify(stored.value) : "");
}

onForget(() => choose(null));

/** Has what a workflow makes put on the chosen board. */
export async function sendToBoard(workflowId: string) {
  const board = chosen.peek();
  if (!board) return;
  try {
    const path = { id: board.id, workflowId };
    await put("/v1/library/boards/{id}/workflows/{workflowId}", undefined, { path, keepalive: true });
  } catch (error) {
    if (error instanceof ApiError && error.field === "id") choose(null); // it was deleted
    toastError(error);
  }
}

/** The choice of a board, where there is one. */
export function BoardChoice() {
  const boards = useBoards()?.boards ?? [];
  if (!boards.length) return null;
  return (
    <SelectField
      label={words.label}
      help={words.help}
      value={chosen.value?.id ?? ""}
      onInput={(id) => {
        const board = boards.find((b) => b.boardId === id);
        choose(board ? { id, name: board.name } : null);
      }}
      options={[{ value: "", label: words.none }, ...boards.map((b) => ({ value: b.boardId, label: b.name }))]}
    />
  );
}

/** Says where the results go, also when the settings are closed. */
export function ChosenBoard() {
  if (!chosen.value) return null;
  return (
    <p class="row small muted chosen-board">
      <span class="cut">{words.goes(chosen.value.name)}</span>
      <IconButton icon="close" size={14} label={words.stop} onClick={() => choose(null)} />
    </p>
  );
}
