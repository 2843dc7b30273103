"""The shipped word vectors, and the tool that builds such a file."""

import math
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from secretary_tui.routing.words.word_vectors import (
    DIMENSIONS,
    FILE,
    ROW_LENGTH,
    read_word_vectors,
    word_vectors,
)

ROOT = Path(__file__).parents[3]


def cosine(vectors, one, other):
    a, b = (vectors.row(vectors.numbers[stem]) for stem in (one, other))
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)


def build(*arguments):
    run = [sys.executable, "-m", "tools.build_word_vectors", *map(str, arguments)]
    return subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_shipped_words_have_neighbours_that_make_sense():
    known = word_vectors()
    assert len(known.numbers) == len(known.idf) == 15_869
    assert cosine(known, "postgr", "mysql") > 0.6
    assert cosine(known, "kubernet", "helm") > 0.6
    assert abs(cosine(known, "postgr", "css")) < 0.2
    assert known.weight(known.numbers["kubernet"]) > known.weight(known.numbers["file"])


def test_every_row_is_about_as_long_as_it_says():
    rows = np.frombuffer(word_vectors().rows, dtype=np.int8).reshape(-1, DIMENSIONS)
    lengths = np.linalg.norm(rows.astype(float), axis=1)
    assert np.abs(lengths - ROW_LENGTH).max() < 0.05 * ROW_LENGTH


def test_the_sources_are_named_beside_the_file():
    notice = FILE.with_name("wv256.NOTICE.txt").read_text(encoding="utf-8")
    assert "permissive licences only" in notice
    assert "build_word_vectors" in notice


def test_a_file_whose_parts_do_not_fit_together_is_refused(tmp_path):
    damaged = tmp_path / "damaged.npz"
    with zipfile.ZipFile(FILE) as whole, zipfile.ZipFile(damaged, "w") as part:
        for name in whole.namelist():
            data = whole.read(name)
            part.writestr(name, data[:-DIMENSIONS] if name == "E.npy" else data)
    with pytest.raises(ValueError, match="damaged"):
        read_word_vectors(damaged)


def test_words_used_alike_in_a_folder_of_markdown_come_to_point_the_same_way(tmp_path):
    for number in range(12):
        kitchen = (
            f"The {('cook', 'baker')[number % 2]} stirs flour with butter in a bowl of milk.\n"
        )
        garage = f"A {('driver', 'pilot')[number % 2]} checks engine fuel with brake and wheel.\n"
        (tmp_path / f"{number}.md").write_text(kitchen * 3 + "\n" + garage * 3)
    out = tmp_path / "out.npz"
    done = build(tmp_path, out, "--least-files", "2")
    assert done.returncode == 0, done.stderr
    assert "stems" in done.stdout
    made = read_word_vectors(out)
    assert "the" not in made.numbers
    alike, different = cosine(made, "cook", "baker"), cosine(made, "cook", "driver")
    assert alike > different + 0.3
    assert cosine(made, "driver", "pilot") > cosine(made, "pilot", "baker") + 0.3


def test_a_folder_without_text_is_a_sentence(tmp_path):
    done = build(tmp_path, tmp_path / "out.npz")
    assert done.returncode == 1
    assert "name more text" in done.stderr
    assert "Traceback" not in done.stderr


def test_recentring_takes_away_what_all_words_share(tmp_path):
    rng = np.random.default_rng(0)
    old, out = tmp_path / "old.npz", tmp_path / "out.npz"
    vectors = rng.standard_normal((50, DIMENSIONS)) + 3
    stems = "\n".join(f"stem{number}" for number in range(50))
    idf = np.ones(50, dtype=np.float32)
    np.savez_compressed(old, vocab=np.array(stems), E=vectors, idf=idf)
    assert build(old, out, "--recentre").returncode == 0
    rows = np.frombuffer(read_word_vectors(out).rows, dtype=np.int8).reshape(-1, DIMENSIONS)
    assert np.linalg.norm(rows.astype(float).mean(axis=0)) < 0.3 * ROW_LENGTH
