"""A calibration as a picture: what was stated against how often it was right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

SIZE, MARGIN = 320, 44


@dataclass(frozen=True, slots=True)
class Band:
    """Confidences of one band, in per cent."""

    stated: float
    """Their mean."""
    observed: float
    """How often the agent was right."""
    count: int


def plot(bands: Sequence[Band], path: Path, title: str) -> None:
    """Draw the bands as an SVG: the diagonal is what a confidence promises."""
    whole = SIZE + 2 * MARGIN

    def at(stated: float, observed: float) -> tuple[float, float]:
        return MARGIN + SIZE * stated / 100, MARGIN + SIZE * (1 - observed / 100)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" '
        'font-family="sans-serif" font-size="12" fill="#444">',
        f'<rect width="{whole}" height="{whole}" fill="#fff"/>',
        f'<text x="{MARGIN}" y="{MARGIN - 18}" font-size="14">{escape(title)}</text>',
        f'<rect x="{MARGIN}" y="{MARGIN}" width="{SIZE}" height="{SIZE}" fill="none" '
        'stroke="#bbb"/>',
        f'<line x1="{MARGIN}" y1="{MARGIN + SIZE}" x2="{MARGIN + SIZE}" y2="{MARGIN}" '
        'stroke="#bbb" stroke-dasharray="4 4"/>',
    ]
    parts.append(f'<text x="14" y="{whole / 2:.0f}" text-anchor="middle" '
                 f'transform="rotate(-90 14 {whole / 2:.0f})">right, %</text>')  # fmt: skip
    for tick in range(0, 101, 20):
        x, y = at(tick, tick)
        parts.append(
            f'<text x="{x:.0f}" y="{MARGIN + SIZE + 18}" text-anchor="middle">{tick}</text>'
        )
        parts.append(f'<text x="{MARGIN - 8}" y="{y + 4:.0f}" text-anchor="end">{tick}</text>')
    points = [at(band.stated, band.observed) for band in bands]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts.append(f'<polyline points="{line}" fill="none" stroke="#2a6fb0" stroke-width="2"/>')
    for band, (x, y) in zip(bands, points, strict=True):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2 + band.count**0.5 / 3:.1f}" '
                     'fill="#2a6fb0" fill-opacity="0.7"/>')  # fmt: skip
    parts.append(f'<text x="{MARGIN + SIZE / 2}" y="{whole - 8}" text-anchor="middle">'
                 "stated, %; the size of a dot is how many requests</text></svg>")  # fmt: skip
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")
