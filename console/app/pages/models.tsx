// The page "models".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("models");
  return <h1>models</h1>;
}
