export interface BackoffOptions {
  baseMs: number;
  maxMs: number;
  /** Share of the delay that is left to chance, 0 to 1. */
  jitter: number;
}

export const defaultBackoff: BackoffOptions = {
  baseMs: 500,
  maxMs: 60_000,
  jitter: 0.2,
};

export function nextDelay(
  attempt: number,
  options: BackoffOptions = defaultBackoff,
  random: () => number = Math.random,
): number {
  const raw = options.baseMs * 2 ** (attempt - 1);
  const capped = Math.min(raw, options.maxMs);
  const spread = capped * options.jitter;
  return Math.round(capped - spread / 2 + spread * random());
}
