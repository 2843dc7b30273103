import { describe, expect, it } from "vitest";
import { nextDelay } from "../src/backoff.js";

const options = { baseMs: 100, maxMs: 1000, jitter: 0 };

describe("nextDelay", () => {
  it("starts with the base", () => {
    expect(nextDelay(1, options)).toBe(100);
  });

  it("doubles", () => {
    expect(nextDelay(3, options)).toBe(400);
  });

  it("stops at the maximum", () => {
    expect(nextDelay(20, options)).toBe(1000);
  });
});
