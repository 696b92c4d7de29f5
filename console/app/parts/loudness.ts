// How loud a sound is over its length, measured in the browser: for formats that the service does not read.

/** The largest sample of equal parts of a sound, 0 to 100. */
export function peaksIn(samples: ArrayLike<number>, count: number): number[] {
  const n = Math.min(count, samples.length);
  return Array.from({ length: n }, (_, part) => {
    const end = Math.floor((samples.length * (part + 1)) / n);
    let most = 0;
    for (let i = Math.floor((samples.length * part) / n); i < end; i++) most = Math.max(most, Math.abs(samples[i]));
    return Math.min(100, Math.round(most * 100));
  });
}

const rate = 8000; // is enough for its loudness, and keeps a long sound small
const most = 4e6; // bytes of a file

/** The peaks of a small file; none of one that is large or that the browser cannot read. */
export async function measure(url: string, bytes: number, signal: AbortSignal): Promise<number[]> {
  if (bytes > most) return [];
  const response = await fetch(url, { signal, credentials: "omit" });
  if (!response.ok) return [];
  try {
    const sound = await new OfflineAudioContext(1, 1, rate).decodeAudioData(await response.arrayBuffer());
    return peaksIn(sound.getChannelData(0), 200);
  } catch (error) {
    if (signal.aborted) throw error;
    return []; // no sound that this browser knows
  }
}
