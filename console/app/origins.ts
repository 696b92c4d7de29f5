// Where pages may load media from, besides the service itself: the session says it.

export let mediaOrigins: string[] = [];

export function allowOrigins(origins: string[]) {
  mediaOrigins = origins;
}
