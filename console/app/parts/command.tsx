// A command for a terminal. A line of it ends between two words, where they are not longer than the line.

import { Fragment } from "preact";

export const Command = ({ line, class: name }: { line: string; class?: string }) => (
  <code class={name}>
    {line.split(" ").map((word, i) => (
      <Fragment key={i}>
        {i > 0 && " "}
        <span class="whole">{word}</span>
      </Fragment>
    ))}
  </code>
);
