// The grid of thumbnails: only the rows in view are in the document. Arrows move, Space
// opens, Enter selects, Shift extends the selection.

import { useEffect, useRef, useState } from "preact/hooks";
import { day } from "../format";
import { Icon } from "../parts/icon";
import { Thumbnail } from "../parts/media";
import { shiftOf, toElement, toList, useAnchor, useScrolled } from "../parts/scroll";
import { text } from "../texts/library";
import { headHeight, layOut, rowsBetween } from "./layout";
import type { Artifact, Library } from "./sections";

export const dayName = (date: string) => (date === new Date().toISOString().slice(0, 10) ? text.today : day(date + "T12:00:00Z"));

interface Place { section: number; index: number }

export function Grid({ library, selection, onSelect, onOpen, jump, onDate }: {
  library: Library;
  selection: Map<string, Artifact>;
  onSelect: (selection: Map<string, Artifact>) => void;
  onOpen: (item: Artifact) => void;
  /** A day to scroll to; a new object for each jump. */
  jump?: { date: string };
  onDate: (date: string) => void;
}) {
  const { sections } = library;
  const element = useRef<HTMLDivElement>(null);
  const { width, scrolled } = useScrolled(element);
  const [focus, setFocus] = useState<Place>({ section: 0, index: 0 });
  const anchor = useRef<string>();
  const l = layOut(sections, width);
  const view = innerHeight;
  const place = toList(l, scrolled, view);
  const shift = shiftOf(l, scrolled, view);

  const scrollTo = (top: number) => window.scrollTo(0, element.current!.getBoundingClientRect().top + scrollY + toElement(l, Math.max(0, top), view) - 120);
  useEffect(() => {
    if (!jump || !sections.length) return;
    const at = sections.findIndex((s) => s.date <= jump.date);
    scrollTo(l.tops[at < 0 ? sections.length - 1 : at]);
  }, [jump, sections.length > 0]);

  const rows = rowsBetween(l, sections, place - 600, place + view + 600);
  const first = rows.find((row) => row.from !== undefined && row.top >= place);
  const anchored = first && { ...sections[first.section], index: first.from!, top: first.top, columns: l.columns };
  useAnchor(sections, l, scrolled, anchored, ({ date, items, index, columns }) => {
    const section = sections.findIndex((s) => s.date === date);
    if (section < 0 || columns !== l.columns) return undefined;
    const at = sections[section].items.findIndex((item) => item.artifactId === items[index]?.artifactId);
    return l.tops[section] + headHeight + Math.floor((at < 0 ? index : at) / columns) * l.rowHeight;
  });
  // The items of what is in view, and a little more.
  useEffect(() => {
    for (const row of rows) if (row.to !== undefined && sections[row.section]) library.need(sections[row.section], row.to - 1);
  });
  const current = sections[rows.find((r) => r.top + l.rowHeight > place + 100)?.section ?? 0]?.date;
  useEffect(() => {
    if (current) onDate(current);
  }, [current]);

  const itemAt = (p: Place) => sections[p.section]?.items[p.index];
  const move = (p: Place): Place => {
    let { section, index } = p;
    while (index < 0 && section > 0) index += sections[--section].count;
    while (section < sections.length - 1 && index >= sections[section].count) index -= sections[section++].count;
    return { section, index: Math.max(0, Math.min(index, sections[section].count - 1)) };
  };
  const show = (p: Place) => {
    const top = l.tops[p.section] + headHeight + Math.floor(p.index / l.columns) * l.rowHeight;
    if (top < place + 130 || top + l.rowHeight > place + view - 80) scrollTo(top < place + 130 ? top - 40 : top - view + l.rowHeight + 220);
    setFocus(p);
    requestAnimationFrame(() => requestAnimationFrame(() => element.current?.querySelector<HTMLElement>(`[data-place="${p.section}:${p.index}"]`)?.focus({ preventScroll: true })));
  };
  const toggle = (item: Artifact) => {
    const next = new Map(selection);
    if (next.has(item.artifactId)) next.delete(item.artifactId);
    else next.set(item.artifactId, item);
    anchor.current = item.artifactId;
    onSelect(next);
  };
  const extend = (item: Artifact) => {
    const items = library.items();
    const to = items.findIndex((a) => a.artifactId === item.artifactId);
    const from = items.findIndex((a) => a.artifactId === anchor.current);
    if (from < 0) return toggle(item);
    onSelect(new Map([...selection, ...items.slice(Math.min(from, to), Math.max(from, to) + 1).map((a) => [a.artifactId, a] as const)]));
  };
  const onKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -l.columns, ArrowDown: l.columns, PageUp: -l.columns * 4, PageDown: l.columns * 4 };
    const item = itemAt(focus);
    if (event.key in steps) {
      const to = move({ section: focus.section, index: focus.index + steps[event.key] });
      const next = itemAt(to);
      if (event.shiftKey && item && next) {
        if (!selection.size) anchor.current = item.artifactId;
        extend(next);
      }
      show(to);
    } else if (event.key === "Home") show({ section: 0, index: 0 });
    else if (event.key === "End") show(move({ section: sections.length - 1, index: Infinity }));
    else if (event.key === " " && item) onOpen(item);
    else if (event.key === "Enter" && item) (event.shiftKey ? extend : toggle)(item);
    else if (event.key === "Escape" && selection.size) onSelect(new Map());
    else return;
    event.preventDefault();
  };
  const holding = useRef<{ timer?: ReturnType<typeof setTimeout>; done?: boolean }>({});
  const hold = (item: Artifact) => {
    holding.current = { timer: setTimeout(() => { holding.current.done = true; toggle(item); }, 500) };
  };
  const release = () => clearTimeout(holding.current.timer);
  const onClick = (event: MouseEvent, item: Artifact, p: Place) => {
    setFocus(p);
    if (holding.current.done) return void (holding.current = {}); // the end of a long press
    if (event.shiftKey) extend(item);
    else if (event.ctrlKey || event.metaKey || selection.size || (event.target as Element).closest(".cell-check")) toggle(item);
    else onOpen(item);
  };
  const inView = rows.some((r) => r.section === focus.section && r.from !== undefined && focus.index >= r.from && focus.index < r.to!);
  const firstDrawn = rows.find((r) => r.from !== undefined);
  const tabPlace = inView || !firstDrawn ? focus : { section: firstDrawn.section, index: firstDrawn.from! };
  return (
    <div ref={element} class="grid-view" role="grid" aria-label={text.grid} aria-multiselectable="true" aria-rowcount={-1} style={{ height: `${l.height}px` }} onKeyDown={onKey}>
      {rows.map((row) => {
        const s = sections[row.section];
        const style = { transform: `translateY(${Math.round(row.top + shift)}px)` };
        if (row.from === undefined) {
          return <div key={row.key} role="row" class="grid-head" style={style}><div role="rowheader"><h2>{dayName(s.date)} <span class="muted small">{text.items(s.count)}</span></h2></div></div>;
        }
        return (
          <div key={row.key} role="row" class="grid-row" style={{ ...style, gridTemplateColumns: `repeat(${l.columns}, ${l.cell}px)` }}>
            {Array.from({ length: row.to! - row.from }, (_, k) => {
              const index = row.from! + k;
              const item = s.items[index];
              const here = { section: row.section, index };
              const isTab = tabPlace.section === row.section && tabPlace.index === index;
              if (!item) return <span key={index} role="gridcell" class="cell thumb" aria-label={text.loading} style={{ height: `${l.cell}px` }} tabIndex={isTab ? 0 : -1} data-place={`${row.section}:${index}`} />;
              const label = `${text.kindOne[item.kind] ?? item.kind}: ${item.prompt}`;
              return (
                <div key={item.artifactId} role="gridcell" class="cell" aria-selected={selection.has(item.artifactId)} aria-label={label} title={item.prompt} tabIndex={isTab ? 0 : -1} data-place={`${row.section}:${index}`}
                  style={{ height: `${l.cell}px` }} onFocus={() => setFocus(here)} onClick={(event) => onClick(event, item, here)}
                  onTouchStart={() => hold(item)} onTouchMove={release} onTouchEnd={release}
                  onContextMenu={(event) => matchMedia("(pointer: coarse)").matches && event.preventDefault()}>
                  <Thumbnail item={{ ...item, id: item.artifactId, width: 1, height: 1, label: "" }} />
                  <span class="cell-check" aria-hidden="true" title={text.select}><Icon name="check" size={16} /></span>
                </div>
              );
            })}
          </div>
        );
      })}
    </div>
  );
}
