// The boards and the tags of the account, for everything that shows them.

import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { del, get, patch, post } from "../api";
import { endedSessions } from "../session";
import type { Board, Boards, LibraryTag } from "../types";

/** The boards, undefined until they were read. */
export const boards = signal<Boards | undefined>(undefined);

/** The tags that most items have. */
export const tags = signal<LibraryTag[]>([]);

const mostTags = 200;

let round = 0; // of reading: the last one counts
let isReading = false;

effect(() => {
  endedSessions.value;
  round++;
  isReading = false;
  boards.value = undefined;
  tags.value = [];
});

/** Reads the boards and tags again. Counts that cannot be read stay as they are. */
export async function readBoards(): Promise<void> {
  const mine = ++round;
  isReading = true;
  try {
    const [inUse, all] = await Promise.all([
      get("/v1/library/tags", { query: { limit: mostTags } }),
      get("/v1/library/boards"),
    ]);
    if (mine !== round) return;
    boards.value = all;
    tags.value = inUse.tags;
  } finally {
    if (mine === round) isReading = false;
  }
}

/** The boards, which are read when nothing has read them yet, or again. */
export function useBoards(again = false) {
  useEffect(() => {
    if (again || (!boards.peek() && !isReading)) void readBoards().catch(() => {});
  }, []);
  return boards.value;
}

export async function createBoard(name: string): Promise<Board> {
  const { board } = await post("/v1/library/boards", { name });
  await readBoards();
  return board;
}

export async function renameBoard(id: string, name: string) {
  await patch("/v1/library/boards/{id}", { name }, { path: { id } });
  await readBoards();
}

export async function deleteBoard(id: string) {
  await del("/v1/library/boards/{id}", { path: { id } });
  await readBoards();
}
