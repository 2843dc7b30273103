export interface Job {
  id: string;
  kind: string;
  payload: unknown;
  attempts: number;
  /** Milliseconds since the epoch; the job must not run earlier. */
  runAt: number;
}

export type Handler = (payload: unknown) => Promise<void>;

let counter = 0;

export function makeJob(kind: string, payload: unknown, now: number): Job {
  counter += 1;
  return { id: `job-${counter}`, kind, payload, attempts: 0, runAt: now };
}

export function isDue(job: Job, now: number): boolean {
  return job.runAt <= now;
}
