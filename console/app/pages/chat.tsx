// The page "chat".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("chat");
  return <h1>chat</h1>;
}
