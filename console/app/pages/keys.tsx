// The page "keys".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("keys");
  return <h1>keys</h1>;
}
