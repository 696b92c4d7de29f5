// The page "network".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("network");
  return <h1>network</h1>;
}
