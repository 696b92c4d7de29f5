// The list of endpoints and tools beside the reference, with the search over all of it.

import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useListener } from "../hooks";
import { text } from "../texts/reference";

export interface Entry {
  id: string;
  label: ComponentChildren;
  title: string;
  /** What the search looks at, in lower case. */
  words: string;
  /** What counts most in the search: the name itself. */
  name: string;
}

export interface Block {
  id: string;
  name: string;
  entries: Entry[];
}

/** The blocks with the entries that have all words of a text. */
export function searchBlocks(blocks: Block[], query: string): Block[] {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return blocks;
  const named = (entry: Entry) => parts.every((part) => entry.name.includes(part));
  return blocks
    .map((block) => {
      const entries = block.entries.filter((entry) => parts.every((part) => entry.words.includes(part)));
      return { ...block, entries: [...entries.filter(named), ...entries.filter((entry) => !named(entry))] };
    })
    .filter((block) => block.entries.length > 0)
    .sort((a, b) => Number(b.entries.some(named)) - Number(a.entries.some(named)));
}

interface Props {
  blocks: Block[];
  /** The entry that is being read, and the block that is shown. */
  current: string;
  shown: string;
  query: string;
  onQuery: (query: string) => void;
}

export function Sidebar({ blocks, current, shown, query, onQuery }: Props) {
  const [open, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLElement>(null);
  const found = searchBlocks(blocks, query);
  const count = found.reduce((sum, block) => sum + block.entries.length, 0);

  useSlash(field);
  useInSight(list, [current, shown]);

  // Arrow keys walk from the field through the list.
  const walk = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      if (query) onQuery("");
      field.current?.focus(); // which opens the list on phones
      setOpen(false);
      return;
    }
    const links = [...(list.current?.querySelectorAll<HTMLElement>("a") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Enter" && query && document.activeElement === field.current)
      list.current?.querySelector<HTMLElement>("li a")?.click();
    else if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === "ArrowUp" && at === 0) field.current?.focus();
    else if (event.key === "ArrowUp" && at > 0) links[at - 1].focus();
    else return;
    event.preventDefault();
  };

  return (
    <div class={open ? "ref-side open" : "ref-side"} onKeyDown={walk}>
      <search class="ref-finder">
        <button
          type="button"
          class="quiet ref-toggle"
          aria-expanded={open}
          aria-controls="ref-list"
          onClick={() => setOpen(!open)}>
          {text.contents}
        </button>
        <input
          type="search"
          ref={field}
          placeholder={text.search}
          aria-label={text.search}
          aria-keyshortcuts="/"
          aria-controls="ref-list"
          value={query}
          onFocus={() => setOpen(true)}
          onInput={(event) => onQuery(event.currentTarget.value)}
        />
      </search>
      <p class={query ? "small muted ref-count" : "offscreen"} role="status">
        {query && (count ? text.found(count) : `${text.none} ${text.noneHelp}`)}
      </p>
      <nav
        id="ref-list"
        ref={list}
        aria-label={text.contents}
        onClick={(event) => (event.target as Element).closest("a") && setOpen(false)}>
        {!query && (
          <a class="ref-block" href="#overview" aria-current={shown === "" ? "true" : undefined}>
            {text.overview}
          </a>
        )}
        {found.map((block) => (
          <BlockLinks
            key={block.id}
            block={block}
            isOpen={query !== "" || block.id === shown}
            current={current}
            isCurrent={block.id === shown && current === block.id}
          />
        ))}
      </nav>
    </div>
  );
}

/** A block with its entries, where it is open. */
function BlockLinks({
  block,
  isOpen,
  current,
  isCurrent,
}: {
  block: Block;
  isOpen: boolean;
  current: string;
  isCurrent: boolean;
}) {
  return (
    <section>
      <a class="ref-block" href={`#${block.id}`} aria-current={isCurrent ? "true" : undefined}>
        {block.name}
      </a>
      {isOpen && (
        <ul>
          {block.entries.map((entry) => (
            <li key={entry.id}>
              <a href={`#${entry.id}`} title={entry.title} aria-current={entry.id === current ? "true" : undefined}>
                {entry.label}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A slash moves the focus to the field. */
function useSlash(field: RefObject<HTMLInputElement>) {
  useListener("keydown", (event) => {
    const typing = (event.target as Element).closest?.("input, select, textarea, [contenteditable], dialog");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.current?.focus();
  });
}

/** Keeps the link of what is being read in sight. */
function useInSight(list: RefObject<HTMLElement>, deps: unknown[]) {
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>("[aria-current]");
    if (!link) return;
    const frame = list.current!.getBoundingClientRect();
    const box = link.getBoundingClientRect();
    if (box.top < frame.top || box.bottom > frame.bottom)
      list.current!.scrollTop += box.top - frame.top - frame.height / 3;
  }, deps);
}
