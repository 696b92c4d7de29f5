// Markdown as elements. Raw HTML stays text, and links lead only to http(s) addresses.

import { Lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { memo } from "./memo";
import { Code } from "./code";
import { levelsOf } from "./heading";
import { text as common } from "../texts/shell";

/**
 * Draws Markdown. Only the blocks that changed are drawn again: while an answer grows,
 * that is the last one.
 */
export function Markdown({ source }: { source: string }) {
  const tokens = new Lexer({ gfm: true, breaks: true }).lex(source);
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === "heading");
  const levels = levelsOf(headings.map(({ depth }) => depth));
  return (
    <div class="markdown">
      {tokens.map((token, i) => (
        <Block key={i} raw={token.raw} token={token} level={levels[headings.indexOf(token as Tokens.Heading)]} />
      ))}
    </div>
  );
}

const Block = memo(
  ({ token, level }: { raw: string; token: Token; level?: number }) => <>{block(token, level)}</>,
  (a, b) => a.raw === b.raw && a.level === b.level,
);

const blocks = (tokens: Token[] = []) => tokens.map((token, i) => <Block key={i} raw={token.raw} token={token} />);

/** Headings are below those of a page: its title, and the name of the part that has the text. */
function block(token: Token, level?: number): ComponentChildren {
  switch (token.type) {
    case "heading": {
      if (level === undefined) return <strong>{inline(token.tokens)}</strong>; // inside of a quotation or a list
      const Tag = `h${Math.min(6, level + 3)}` as "h3";
      return <Tag>{inline(token.tokens)}</Tag>;
    }
    case "paragraph":
      return <p>{inline(token.tokens)}</p>;
    case "text":
      return token.tokens ? inline(token.tokens) : token.text;
    case "code":
      return <Code code={token.text} language={token.lang || undefined} />;
    case "blockquote":
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case "hr":
      return <hr />;
    case "list": {
      const list = token as Tokens.List;
      const items = list.items.map((item, i) => (
        <li key={i} class={item.task ? "task" : undefined}>
          {blocks(item.tokens)}
        </li>
      ));
      return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul class="bullets">{items}</ul>;
    }
    case "table": {
      const table = token as Tokens.Table;
      return (
        <div class="table-scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {table.header.map((cell, i) => (
                  <th key={i} class={cell.align ?? undefined}>
                    {inline(cell.tokens)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map((row, r) => (
                <tr key={r}>
                  {row.map((cell, i) => (
                    <td key={i} class={cell.align ?? undefined}>
                      {inline(cell.tokens)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    }
    case "checkbox":
      return box(token as Tokens.Checkbox);
    case "space":
      return null;
    default:
      return <p>{token.raw}</p>;
  }
}

/** The box of a task in a list: what it says is read, and nothing can be changed. */
const box = ({ checked }: Tokens.Checkbox) => (
  <input type="checkbox" checked={checked} disabled aria-label={checked ? common.task.done : common.task.open} />
);

function inline(tokens: Token[] = []): ComponentChildren {
  return tokens.map((token) => {
    switch (token.type) {
      case "strong":
        return <strong>{inline(token.tokens)}</strong>;
      case "em":
        return <em>{inline(token.tokens)}</em>;
      case "del":
        return <del>{inline(token.tokens)}</del>;
      case "codespan":
        return <code>{token.text}</code>;
      case "br":
        return <br />;
      case "link":
        return isWeb(token.href) ? (
          <a href={token.href} rel="noreferrer" target="_blank">
            {inline(token.tokens)}
          </a>
        ) : (
          token.raw
        );
      case "image":
        return isWeb(token.href) ? (
          <a href={token.href} rel="noreferrer" target="_blank">
            {token.text || token.href}
          </a>
        ) : (
          token.raw
        );
      case "escape":
        return token.text;
      case "checkbox":
        return box(token as Tokens.Checkbox);
      case "text":
        return token.tokens ? inline(token.tokens) : token.text;
      default:
        return token.raw;
    }
  });
}

const isWeb = (href: string) => /^https?:\/\//i.test(href);
