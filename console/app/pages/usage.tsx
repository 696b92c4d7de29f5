// The page "usage".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("usage");
  return <h1>usage</h1>;
}
