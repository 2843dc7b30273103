import { isDue, type Job } from "./job.js";

export interface DeadJob {
  job: Job;
  reason: string;
}

export class MemoryStore {
  private jobs = new Map<string, Job>();
  private dead: DeadJob[] = [];

  put(job: Job): void {
    this.jobs.set(job.id, job);
  }

  /** The due job that has waited longest, or undefined. */
  peekDue(now: number): Job | undefined {
    let best: Job | undefined;
    for (const job of this.jobs.values()) {
      if (!isDue(job, now)) continue;
      if (!best || job.runAt < best.runAt) best = job;
    }
    return best;
  }

  countDue(now: number): number {
    return [...this.jobs.values()].filter((job) => isDue(job, now)).length;
  }

  remove(id: string): boolean {
    return this.jobs.delete(id);
  }

  bury(job: Job, reason: string): void {
    this.jobs.delete(job.id);
    this.dead.push({ job, reason });
  }

  deadJobs(): readonly DeadJob[] {
    return this.dead;
  }

  size(): number {
    return this.jobs.size;
  }
}
