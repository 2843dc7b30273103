"""The architectures that can be read, and the names of their tensors in the published files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Architecture:
    """One encoder's shape."""

    width: int
    """Numbers in a direction."""
    layers: int
    inner: int
    """Width of a layer's feed-forward part."""
    positions: int
    """Rows of the table of positions."""
    epsilon: float
    """Added to the variance in a layer norm."""
    query: str = "attention.self.{part}"
    """The name of a layer's `query`, `key` and `value`, or of their initials."""
    mixed: str = "attention.output.dense"
    mixed_norm: str = "attention.output.LayerNorm"
    special: tuple[str, str, str] = ("[UNK]", "[CLS]", "[SEP]")
    """The pieces for an unknown word, before a text and behind it."""
    first_position: int = 0
    """The row of the first piece's position."""
    kinds: bool = True
    """Whether there are token types; every piece is of the first."""
    buckets: int = 0
    """Buckets of the relative position bias; 0 for none."""
    heads: int = 12


MINILM = Architecture(width=384, layers=6, inner=1536, positions=512, epsilon=1e-12)
MPNET = Architecture(
    width=768,
    layers=12,
    inner=3072,
    positions=514,
    epsilon=1e-5,
    query="attention.attn.{part[0]}",
    mixed="attention.attn.o",
    mixed_norm="attention.LayerNorm",
    special=("[UNK]", "<s>", "</s>"),
    first_position=2,
    kinds=False,
    buckets=32,
)
