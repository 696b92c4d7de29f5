// The end of a conversation, which stays in view.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isReturning } from "../place";
import { awayIn } from "./draft";

/**
 * Keeps the end of the conversation in view while it grows, if it was in view: above the
 * composer, which covers the lower part of the window.
 */
export function useEnd(id: string) {
  const turns = useRef<HTMLDivElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const sticks = useRef(true);
  const jump = () => {
    sticks.current = true;
    scrollTo(0, document.documentElement.scrollHeight);
  };
  useLayoutEffect(() => {
    sticks.current = !(isReturning() && awayIn.peek() === id);
    let before = 0;
    let height = 0; // of the page, at that time
    const look = () => {
      if (!turns.current || !foot.current) return; // the conversation does not exist
      const isAway = turns.current.getBoundingClientRect().bottom > foot.current.getBoundingClientRect().top;
      const tall = document.documentElement.scrollHeight;
      if (!isAway) sticks.current = true;
      // The person scrolls up. A page that grows does not, and one that has shrunk was moved by the browser.
      else if (scrollY < before && tall >= height) sticks.current = false;
      before = scrollY;
      height = tall;
      setAway(isAway && !sticks.current);
      if (!sticks.current) awayIn.value = id;
      else if (awayIn.peek() === id) awayIn.value = "";
    };
    const grow = () => {
      // What gets the focus is scrolled to where the composer does not cover it.
      document.documentElement.style.scrollPaddingBottom = foot.current
        ? `${innerHeight - foot.current.getBoundingClientRect().top}px`
        : "";
      if (sticks.current) jump();
      look();
    };
    const sizes = new ResizeObserver(grow);
    sizes.observe(turns.current!);
    sizes.observe(foot.current!);
    addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      removeEventListener("scroll", look);
      document.documentElement.style.scrollPaddingBottom = "";
    };
  }, []);
  return { turns, foot, away, jump };
}
