// The page "create".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("create");
  return <h1>create</h1>;
}
