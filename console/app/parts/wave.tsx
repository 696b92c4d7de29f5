/** A sound as bars of its loudness; those that were played stand out where that is known. */
export function Wave({ peaks, bars = 40, played = 1 }: { peaks: number[]; bars?: number; played?: number }) {
  const part = peaks.length / bars;
  const highest = Math.max(...peaks, 1);
  const height = (i: number) =>
    Math.max(
      3,
      (Math.max(...peaks.slice(Math.floor(i * part), Math.max(Math.ceil((i + 1) * part), 1))) / highest) * 100,
    );
  return (
    <svg class="thumb-wave" viewBox={`0 0 ${bars * 3} 100`} preserveAspectRatio="none" aria-hidden="true">
      {Array.from({ length: bars }, (_, i) => (
        <rect
          key={i}
          class={i < played * bars ? undefined : "unplayed"}
          x={i * 3}
          y={50 - height(i) / 2}
          width={2}
          height={height(i)}
          rx={1}
        />
      ))}
    </svg>
  );
}
