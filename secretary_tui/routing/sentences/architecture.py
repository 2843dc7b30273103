"""The shapes of the encoders that can be read, and what their published files call the parts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Architecture:
    """One encoder's shape."""

    width: int
    """Numbers in a direction."""
    layers: int
    inner: int
    """Numbers between the two matrices of a layer's second half."""
    positions: int
    """Rows of the table of positions."""
    epsilon: float
    """What keeps a norm from dividing by zero."""
    query: str = "attention.self.{part}"
    """The name of a layer's `query`, `key` and `value`, or of their initials."""
    mixed: str = "attention.output.dense"
    mixed_norm: str = "attention.output.LayerNorm"
    special: tuple[str, str, str] = ("[UNK]", "[CLS]", "[SEP]")
    """The pieces for an unknown word, before a text and behind it."""
    first_position: int = 0
    """The row of the first piece's position."""
    kinds: bool = True
    """Whether there are kinds of tokens; the first of them is every piece's."""
    buckets: int = 0
    """Distances that attention tells apart; 0 for none."""
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
