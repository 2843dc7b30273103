"""Requests in other languages are read as English, and English ones are left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.words.languages import GLOSSARIES, SMALL_WORDS, in_english
from tests.routing.library import LIBRARY

LANGUAGES = (*("chinese", "french", "german", "italian", "japanese", "portuguese", "spanish"),)
QUESTIONS = {"what", "how", "where", "who", "which"}


def lines_of(name: str) -> Iterator[tuple[str, list[str]]]:
    """What stands before the colon of each line, and the words behind it."""
    for line in (GLOSSARIES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            english, colon, words = line.partition(":")
            assert colon, line
            yield english, words.split()


def read(request: str) -> str:
    return " ".join(in_english(request).split())


@pytest.mark.parametrize(
    ("request_text", "read"),
    [
        ("überprüfe den Login auf Sicherheitslücken", "check login security vulnerability"),
        ("ueberpruefe bitte meinen Code", "check code"),
        ("die Datenbankabfrage ist zu langsam", "database query slow"),
        ("warum stürzt der Server beim Start ab?", "why crash server start ?"),
        ("pourquoi la requête est lente ?", "why query slow ?"),
        ("ecrire un tutoriel pour les debutants", "write tutorial beginner"),
        ("mejora el rendimiento de la base de datos", "improve performance database data"),
        ("Hallo!", "hello!"),
    ],
)
def test_words_of_other_languages_are_exchanged(request_text: str, read: str) -> None:
    assert " ".join(in_english(request_text).split()).lower() == read


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("schreib Tests für den Warenkorb", "write tests cart"),
        ("Vergleiche die beiden Bibliotheken", "compare library"),
        ("écris des tests pour le panier", "write tests cart"),
        ("où sont les fichiers de configuration ?", "where configuration file"),
        ("escribe pruebas para el carrito", "write test cart"),
        ("¿cómo despliego la aplicación?", "how deploy application"),
        ("¿por qué falla el despliegue?", "why deploy"),
        ("por que o servidor está lento?", "why server slow"),
        ("scrivi i test per il carrello", "write test cart"),
        ("perché il server è lento?", "why server slow"),
        ("escreva testes para o carrinho", "write test cart"),
        ("onde está o arquivo de configuração?", "where file"),
        ("ログイン画面のテストを書いてください", "write test login"),
        ("なぜサーバーが遅いのですか", "why server slow"),
        ("请给登录页面写测试", "write test login"),
        ("为什么服务器很慢？", "why server slow"),
        ("為什麼伺服器很慢？", "why server slow"),
    ],
)
def test_seven_languages_say_what_they_ask_in_english(request_text: str, said: str) -> None:
    assert set(said.split()) <= set(in_english(request_text).lower().strip("¿? ").split())


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("prüfe src/anmeldung/test.py auf Fehler", "src/anmeldung/test.py"),
        ("corrige la page src/pages/panier.html", "src/pages/panier.html"),
        ("revisa el archivo carrito.ts por favor", "carrito.ts"),
        ("controlla il codice in app/carrello.rb", "app/carrello.rb"),
        ("revise o arquivo src/carrinho.go", "src/carrinho.go"),
        ("src/app.pyのコードをレビューして", "src/app.py"),
        ("检查 src/login.ts 的安全漏洞", "src/login.ts"),
    ],
)
def test_names_of_files_are_not_translated(request_text: str, name: str) -> None:
    assert in_english(request_text) != request_text
    assert name in in_english(request_text).split()


def test_the_longest_words_of_a_run_without_spaces_are_taken():
    # Of `数据库` (database), `数据` alone would mean data.
    assert read("数据库") == "database"
    assert read("数据") == "data"
    assert read("データベース") == "database"


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


def test_there_is_a_glossary_for_each_language_and_no_other_file():
    names = {path.stem for path in GLOSSARIES.iterdir()}
    assert names == {*LANGUAGES, SMALL_WORDS}
    assert {name for name, _ in lines_of(SMALL_WORDS)} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_of_a_glossary_has_both_sides_and_no_word_stands_twice(language: str) -> None:
    lines = list(lines_of(language))
    assert len(lines) > 1_000
    assert all(
        words and english and english.isascii() and english == english.strip().lower()
        for english, words in lines
    )
    found = [word.removeprefix("~") for _, words in lines for word in words]
    assert all(found)
    assert len(found) == len(set(found))


def test_every_language_has_small_words_and_words_that_ask():
    for language, words in lines_of(SMALL_WORDS):
        read_as = {word.partition("=")[2] for word in words}
        assert len(words) > 200, language
        assert read_as >= QUESTIONS, language


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
