// The page "library".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("library");
  return <h1>library</h1>;
}
