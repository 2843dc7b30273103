import { nextDelay } from "./backoff.js";
import { makeJob, type Handler, type Job } from "./job.js";
import { MemoryStore } from "./store.js";

export interface QueueOptions {
  maxAttempts?: number;
  pollMs?: number;
}

export class Queue {
  private handlers = new Map<string, Handler>();
  private store = new MemoryStore();
  private timer: ReturnType<typeof setInterval> | undefined;
  private busy = false;
  private maxAttempts: number;
  private pollMs: number;

  constructor(options: QueueOptions = {}) {
    this.maxAttempts = options.maxAttempts ?? 5;
    this.pollMs = options.pollMs ?? 200;
  }

  handle(kind: string, handler: Handler): void {
    this.handlers.set(kind, handler);
  }

  add(kind: string, payload: unknown): string {
    const job = makeJob(kind, payload, Date.now());
    this.store.put(job);
    return job.id;
  }

  start(): void {
    if (this.timer) return;
    this.timer = setInterval(() => void this.tick(), this.pollMs);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Run at most one due job. */
  async tick(): Promise<void> {
    if (this.busy) return;
    const job = this.store.peekDue(Date.now());
    if (!job) return;
    this.busy = true;
    try {
      await this.run(job);
    } finally {
      this.busy = false;
    }
  }

  private async run(job: Job): Promise<void> {
    const handler = this.handlers.get(job.kind);
    if (!handler) {
      this.store.bury(job, `no handler for ${job.kind}`);
      return;
    }
    try {
      await handler(job.payload);
      this.store.remove(job.id);
    } catch (error) {
      this.retry(job, String(error));
    }
  }

  private retry(job: Job, reason: string): void {
    const next = { ...job, attempts: job.attempts + 1 };
    if (next.attempts >= this.maxAttempts) {
      this.store.bury(next, reason);
      return;
    }
    job.runAt = Date.now() + nextDelay(next.attempts);
    this.store.put(job);
  }
}
