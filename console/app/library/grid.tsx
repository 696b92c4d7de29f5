// The grid of thumbnails: only the rows in view are in the document. Arrows move, Space
// opens, Enter selects, Shift extends the selection, F, B and T change marks.

import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { day, duration } from "../format";
import { Icon } from "../parts/icon";
import { libraryItem, nameOf } from "../parts/item";
import { Thumbnail } from "../parts/media";
import { shiftOf, toElement, toList } from "../parts/extent";
import { useAnchor, useScrolled } from "../parts/scroll";
import { Sound } from "../parts/sound-thumbnail";
import { text } from "../texts/library";
import type { LibraryArtifact } from "../types";
import { headHeight, layOut, rowsBetween, type Row } from "./layout";
import { drag } from "./drag";
import { Star } from "./mark-fields";
import { mark, markable, marksOf } from "./marks";
import type { Library, Section } from "./sections";

export const dayName = (date: string) =>
  date === new Date().toISOString().slice(0, 10) ? text.today : day(date + "T12:00:00Z");

const touch = matchMedia("(pointer: coarse)"); // there a long press selects

interface Place {
  section: number;
  index: number;
}

type Selection = Map<string, LibraryArtifact>;

/** What is edited of items. */
export interface Editing {
  kind: "boards" | "tags";
  items: LibraryArtifact[];
}

interface GridProps {
  library: Library;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  onOpen: (item: LibraryArtifact) => void;
  onEdit: (editing: Editing) => void;
  /** A day to scroll to; a new object for each jump. */
  jump?: { date: string };
  onDate: (date: string) => void;
}

export function Grid({ library, selection, onSelect, onOpen, onEdit, jump, onDate }: GridProps) {
  const { sections } = library;
  const element = useRef<HTMLDivElement>(null);
  const { l, rows, place, shift, scrollTo } = useView(element, library, onDate);
  const [focus, setFocus] = useState<Place>({ section: 0, index: 0 });
  const selecting = useSelecting(library, selection, onSelect);
  const press = useLongPress(selecting.toggle);
  useEffect(() => {
    if (!jump || !sections.length) return;
    const at = sections.findIndex((s) => s.date <= jump.date);
    scrollTo(l.tops[at < 0 ? sections.length - 1 : at]);
  }, [jump, sections.length > 0]);

  const show = (p: Place) => {
    const top = l.tops[p.section] + headHeight + Math.floor(p.index / l.columns) * l.rowHeight;
    const isAbove = top < place + 130;
    if (isAbove || top + l.rowHeight > place + innerHeight - 80)
      scrollTo(isAbove ? top - 40 : top - innerHeight + l.rowHeight + 220);
    setFocus(p);
    const drawn = () =>
      element.current
        ?.querySelector<HTMLElement>(`[data-place="${p.section}:${p.index}"]`)
        ?.focus({ preventScroll: true });
    requestAnimationFrame(() => requestAnimationFrame(drawn));
  };
  const onKey = keysOf({ library, selection, onSelect, onOpen, onEdit, selecting, columns: l.columns, focus, show });
  const onClick = (event: MouseEvent, item: LibraryArtifact, p: Place) => {
    setFocus(p);
    if (press.wasLong()) return;
    if (event.shiftKey) selecting.extend(item);
    else if (event.ctrlKey || event.metaKey || selection.size || (event.target as Element).closest(".cell-check"))
      selecting.toggle(item);
    else onOpen(item);
  };
  const isInView = rows.some(
    (r) => r.section === focus.section && r.from !== undefined && focus.index >= r.from && focus.index < r.to!,
  );
  const first = rows.find((r) => r.from !== undefined);
  const tab = isInView || !first ? focus : { section: first.section, index: first.from! };
  const cell: CellContext = { selection, size: l.cell, tab, press, onFocus: setFocus, onClick };
  return (
    <div
      ref={element}
      class="grid-view"
      role="grid"
      aria-label={text.grid}
      aria-multiselectable="true"
      aria-rowcount={-1}
      style={{ height: `${l.height}px` }}
      onKeyDown={onKey}>
      {rows.map((row) => {
        const top = Math.round(row.top + shift);
        return row.from === undefined ? (
          <HeadRow key={row.key} section={sections[row.section]} top={top} />
        ) : (
          <ItemRow key={row.key} row={row} section={sections[row.section]} top={top} columns={l.columns} cell={cell} />
        );
      })}
    </div>
  );
}

/** The rows that are near the window. Their items are read; what is in view stays there when the list changes. */
function useView(element: RefObject<HTMLDivElement>, library: Library, onDate: (date: string) => void) {
  const { sections } = library;
  const { width, scrolled } = useScrolled(element);
  const l = layOut(sections, width);
  const view = innerHeight;
  const place = toList(l, scrolled, view);
  const rows = rowsBetween(l, sections, place - 600, place + view + 600);
  const first = rows.find((row) => row.from !== undefined && row.top >= place);
  const anchored = first && { ...sections[first.section], index: first.from!, top: first.top, columns: l.columns };
  useAnchor(sections, l, scrolled, anchored, ({ date, items, index, columns }) => {
    const section = sections.findIndex((s) => s.date === date);
    if (section < 0 || columns !== l.columns) return undefined;
    const at = sections[section].items.findIndex((item) => item.artifactId === items[index]?.artifactId);
    return l.tops[section] + headHeight + Math.floor((at < 0 ? index : at) / columns) * l.rowHeight;
  });
  useEffect(() => {
    for (const row of rows)
      if (row.to !== undefined && sections[row.section]) library.need(sections[row.section], row.to - 1);
  });
  const current = sections[rows.find((r) => r.top + l.rowHeight > place + 100)?.section ?? 0]?.date;
  useEffect(() => {
    if (current) onDate(current);
  }, [current]);
  const scrollTo = (top: number) =>
    window.scrollTo(
      0,
      element.current!.getBoundingClientRect().top + scrollY + toElement(l, Math.max(0, top), view) - 120,
    );
  return { l, rows, place, shift: shiftOf(l, scrolled, view), scrollTo };
}

/** Selecting one item after another, and all from the last one to another. */
function useSelecting(library: Library, selection: Selection, onSelect: (selection: Selection) => void) {
  const anchor = useRef<string>();
  const begin = (item: LibraryArtifact) => {
    anchor.current = item.artifactId;
  };
  const toggle = (item: LibraryArtifact) => {
    const next = new Map(selection);
    if (next.has(item.artifactId)) next.delete(item.artifactId);
    else next.set(item.artifactId, item);
    begin(item);
    onSelect(next);
  };
  const extend = (item: LibraryArtifact) => {
    const items = library.items();
    const to = items.findIndex((a) => a.artifactId === item.artifactId);
    const from = items.findIndex((a) => a.artifactId === anchor.current);
    if (from < 0) return toggle(item);
    const between = items.slice(Math.min(from, to), Math.max(from, to) + 1);
    onSelect(new Map([...selection, ...between.map((a) => [a.artifactId, a] as const)]));
  };
  return { begin, toggle, extend };
}

/** A long press on a touch screen, which selects. */
function useLongPress(onLong: (item: LibraryArtifact) => void) {
  const holding = useRef<{ timer?: ReturnType<typeof setTimeout>; done?: boolean }>({});
  const hold = (item: LibraryArtifact) => {
    const timer = setTimeout(() => {
      holding.current.done = true;
      onLong(item);
    }, 500);
    holding.current = { timer };
  };
  const release = () => clearTimeout(holding.current.timer);
  /** Reports whether a click is the end of a long press. */
  const wasLong = () => {
    const { done } = holding.current;
    if (done) holding.current = {};
    return done === true;
  };
  return { hold, release, wasLong };
}

interface KeyContext extends Pick<GridProps, "library" | "selection" | "onSelect" | "onOpen" | "onEdit"> {
  selecting: ReturnType<typeof useSelecting>;
  columns: number;
  focus: Place;
  show: (place: Place) => void;
}

/** What keys do: arrows move, Space opens, Enter selects, Shift extends the selection. */
function keysOf({ library, selection, onSelect, onOpen, onEdit, selecting, columns, focus, show }: KeyContext) {
  const { sections } = library;
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -columns * 4,
    PageDown: columns * 4,
  };
  const itemAt = (p: Place): LibraryArtifact | undefined => sections[p.section]?.items[p.index];
  const move = ({ section, index }: Place): Place => {
    while (index < 0 && section > 0) index += sections[--section].count;
    while (section < sections.length - 1 && index >= sections[section].count) index -= sections[section++].count;
    return { section, index: Math.max(0, Math.min(index, sections[section].count - 1)) };
  };
  return (event: KeyboardEvent) => {
    const item = itemAt(focus);
    if (event.key in steps) {
      const to = move({ section: focus.section, index: focus.index + steps[event.key] });
      const next = itemAt(to);
      if (event.shiftKey && item && next) {
        if (!selection.size) selecting.begin(item);
        selecting.extend(next);
      }
      show(to);
    } else if (event.key === "Home") show({ section: 0, index: 0 });
    else if (event.key === "End") show(move({ section: sections.length - 1, index: Infinity }));
    else if (event.key === " " && item) onOpen(item);
    else if (event.key === "Enter" && item) (event.shiftKey ? selecting.extend : selecting.toggle)(item);
    else if (event.key === "Escape" && selection.size) onSelect(new Map());
    else if (!item || !onMarkKey(event, selection.size ? [...selection.values()] : [item], onEdit)) return;
    event.preventDefault();
  };
}

/** Marks items by a key, and reports whether the key is one for that: all become favourites, or none when all are. */
export function onMarkKey(event: KeyboardEvent, items: LibraryArtifact[], onEdit: (editing: Editing) => void): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return false;
  if (event.key === "b") onEdit({ kind: "boards", items });
  else if (event.key === "t") onEdit({ kind: "tags", items });
  else if (event.key === "f") {
    const marked = items.map(markable);
    void mark(marked, { favourite: !marked.every((item) => marksOf(item).favourite) });
  } else return false;
  return true;
}

function HeadRow({ section, top }: { section: Section; top: number }) {
  return (
    <div role="row" class="grid-head" style={{ transform: `translateY(${top}px)` }}>
      <div role="rowheader">
        <h2>
          {dayName(section.date)} <span class="muted small">{text.items(section.count)}</span>
        </h2>
      </div>
    </div>
  );
}

interface CellContext {
  selection: Selection;
  size: number;
  /** The cell that the tab key leads to. */
  tab: Place;
  press: ReturnType<typeof useLongPress>;
  onFocus: (place: Place) => void;
  onClick: (event: MouseEvent, item: LibraryArtifact, place: Place) => void;
}

function ItemRow({
  row,
  section,
  top,
  columns,
  cell,
}: {
  row: Row;
  section: Section;
  top: number;
  columns: number;
  cell: CellContext;
}) {
  return (
    <div
      role="row"
      class="grid-row"
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: `repeat(${columns}, ${cell.size}px)` }}>
      {Array.from({ length: row.to! - row.from! }, (_, k) => {
        const index = row.from! + k;
        const item = section.items[index];
        return <Cell key={item?.artifactId ?? index} item={item} place={{ section: row.section, index }} {...cell} />;
      })}
    </div>
  );
}

function Cell({
  item,
  place,
  selection,
  size,
  tab,
  press,
  onFocus,
  onClick,
}: CellContext & { item: LibraryArtifact | undefined; place: Place }) {
  const shared = {
    role: "gridcell" as const,
    style: { height: `${size}px` },
    "data-place": `${place.section}:${place.index}`,
    tabIndex: tab.section === place.section && tab.index === place.index ? 0 : -1,
  };
  const Picture = item?.kind === "audio" ? Sound : Thumbnail;
  if (!item) return <span {...shared} class="cell thumb" aria-label={text.loading} />;
  return (
    <div
      {...shared}
      class="cell"
      aria-selected={selection.has(item.artifactId)}
      aria-label={[
        `${text.kindOne[item.kind] ?? item.kind}: ${nameOf(item)}`,
        item.durationSeconds && duration(item.durationSeconds),
        marksOf(markable(item)).favourite && text.star,
      ]
        .filter(Boolean)
        .join(" ")}
      title={nameOf(item)}
      onFocus={() => onFocus(place)}
      onClick={(event) => onClick(event, item, place)}
      draggable={!touch.matches}
      onDragStart={(event) =>
        drag(event, (selection.has(item.artifactId) ? [...selection.values()] : [item]).map(markable))
      }
      onTouchStart={() => press.hold(item)}
      onTouchMove={press.release}
      onTouchEnd={press.release}
      onContextMenu={(event) => touch.matches && event.preventDefault()}>
      <Picture item={{ ...libraryItem(item, ""), title: nameOf(item), width: 1, height: 1 }} />
      <span class="cell-check" aria-hidden="true" title={text.select}>
        <Icon name="check" size={16} />
      </span>
      <Star item={markable(item)} title={nameOf(item)} isSmall />
    </div>
  );
}
