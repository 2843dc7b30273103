"""Requests in other languages are read as English, and English ones are left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.words.languages import GLOSSARY, in_english
from tests.routing.library import LIBRARY


@pytest.mark.parametrize(
    ("request_text", "read"),
    [
        ("überprüfe den Login auf Sicherheitslücken", "check Login security vulnerability"),
        ("ueberpruefe bitte meinen Code", "check Code"),
        ("die Datenbankabfrage ist zu langsam", "database query slow"),
        ("warum stürzt der Server beim Start ab?", "why crash Server Start ?"),
        ("pourquoi la requête est lente ?", "why query slow ?"),
        ("ecrire un tutoriel pour les debutants", "write tutorial beginner"),
        ("mejora el rendimiento de la base de datos", "improve performance database data"),
        ("Hallo!", "hello!"),
    ],
)
def test_words_of_other_languages_are_exchanged(request_text: str, read: str) -> None:
    assert " ".join(in_english(request_text).split()) == read


@pytest.mark.parametrize(
    "request_text",
    [
        "review the login for security holes",
        "add the MIT license",
        "add i18n for es and de",
        "translate en to es",
        "test checkout",
        "die hard",
        "kill the process when it dies",
        "red button on the panel",
        "KeyError: 'user'",
        "",
    ],
)
def test_english_stays_as_it_is(request_text: str) -> None:
    assert in_english(request_text) == request_text


def test_names_and_loan_words_stay():
    assert in_english("Terragrunt Module aufräumen mit ArgoCD").split()[0] == "Terragrunt"
    assert "ArgoCD" in in_english("Terragrunt Module aufräumen mit ArgoCD")


@given(st.text())
def test_any_text_can_be_read(text):
    assert isinstance(in_english(text), str)


def test_every_line_of_the_glossary_has_both_sides():
    lines = GLOSSARY.read_text(encoding="utf-8").splitlines()
    entries = [line for line in lines if line and line[0] not in "#["]
    assert len(entries) > 300
    assert all(left and right.strip() for left, _, right in (e.partition(":") for e in entries))


@pytest.mark.parametrize(
    ("request_text", "agent"),
    [
        ("prüfe die Anmeldung auf Sicherheitslücken", "quality:security-reviewer"),
        ("la requête SQL est trop lente", "data:database-optimizer"),
        ("escribe la documentación para los usuarios", "words:docs-writer"),
    ],
)
def test_the_right_agent_is_found_in_other_languages(request_text: str, agent: str) -> None:
    assert LocalMatcher(LIBRARY).rank(request_text)[0].agent == agent


def test_a_word_that_no_glossary_knows_is_no_typing_error():
    terms = LocalMatcher(LIBRARY).judge("Wo steht bitte die Datebank von gestern?", 3).scores.terms
    assert not any(term.meanings and term.meanings[0].word != term.word for term in terms)


def test_a_long_paste_is_read_at_its_beginning_and_kept_whole():
    # All of it was taken apart, each word for its parts: a megabyte took more than ten seconds.
    rest = " " + "prüfungsdatenbankprüfung " * 50_000 + "Ende"
    read = in_english("Bitte prüfe die Anmeldung" + " " * 20_000 + rest)
    assert read.split()[:2] == ["check", "login"]
    assert read.endswith(rest)
