// A component that is drawn again only when its properties differ.

import { Component, type ComponentChild } from "preact";

export function memo<P extends object>(draw: (props: P) => ComponentChild, same: (a: P, b: P) => boolean) {
  return class extends Component<P> {
    shouldComponentUpdate(next: P) {
      return !same(this.props as P, next);
    }
    render() {
      return draw(this.props as P);
    }
  };
}
