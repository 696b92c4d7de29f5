// What is shown in place of a page that fails while it is drawn.

import { Component, type ComponentChildren } from "preact";
import { useTitle } from "../hooks";
import { text } from "../texts/shell";

interface Props {
  path: string;
  children: ComponentChildren;
}
interface State {
  path?: string;
  error?: Error;
}

/** Draws pages. One that fails is left by going to another address. */
export class Guard extends Component<Props, State> {
  static getDerivedStateFromError = (error: Error): State => ({ error });
  static getDerivedStateFromProps = ({ path }: Props, before: State): State | null =>
    path === before.path ? null : { path, error: undefined };

  componentDidCatch(error: Error) {
    console.error(error);
  }

  render({ children }: Props, { error }: State) {
    return error ? <CannotShow error={error} retry={() => this.setState({ error: undefined })} /> : children;
  }
}

function CannotShow({ error, retry }: { error: Error; retry: () => void }) {
  useTitle(text.cannotShow);
  return (
    <div class="missing" role="alert">
      <h1>{text.cannotShow}</h1>
      <p class="muted">{text.cannotShowHelp}</p>
      <p class="small">
        <code>{error.message}</code>
      </p>
      <button class="quiet" onClick={retry}>
        {text.tryAgain}
      </button>
    </div>
  );
}
