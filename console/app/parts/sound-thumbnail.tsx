// The thumbnail of a sound: its loudness as bars.

import type { MediaItem } from "./item";
import { Thumbnail } from "./media";
import { usePeaks } from "./sound";

export const Sound = ({ item }: { item: MediaItem }) => <Thumbnail item={{ ...item, peaks: usePeaks(item) }} />;
