import assert from "node:assert/strict";
import { test } from "node:test";
import { csv } from "./csv";

test("a table as a spreadsheet reads it", () => {
  assert.equal(
    csv(
      ["name", "note", "sum"],
      [
        { name: 'the "old" one, of Ann', note: "=1+1", sum: 2 },
        { name: "a\nb", note: undefined, sum: null },
      ],
    ),
    'name,note,sum\r\n"the ""old"" one, of Ann",\'=1+1,2\r\n"a\nb",,\r\n',
  );
});
