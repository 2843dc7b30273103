"""The film of the README holds together and shows nothing of the machine that recorded it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pyte

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
SVG, CAST = IMAGES / "secretary-tui-film.svg", IMAGES / "secretary-tui.cast"
LARGEST = 1_000_000
STORY = (
    "What should be done?",
    "find and fix the security hole in login.py",
    "It closes holes in authentication code",
    "security-fixer wants to use Edit",
    "── done",
)


def test_the_film_is_small_and_loads_nothing() -> None:
    drawn = SVG.read_text("utf-8")
    assert max(SVG.stat().st_size, CAST.stat().st_size) < LARGEST
    assert not re.search(r"<script|<image|url\(|@import|@font-face", drawn)
    assert set(re.findall(r"https?://[^\"' ]*", drawn)) == {"http://www.w3.org/2000/svg"}


def test_every_row_that_a_frame_uses_is_drawn() -> None:
    tree = ElementTree.parse(SVG)
    used = {node.attrib["href"][1:] for node in tree.iter("{http://www.w3.org/2000/svg}use")}
    drawn = {node.attrib.get("id") for node in tree.iter("{http://www.w3.org/2000/svg}g")}
    assert used
    assert used <= drawn


def test_the_cast_plays_the_whole_story_in_twenty_to_forty_seconds() -> None:
    first, *rest = CAST.read_text("utf-8").splitlines()
    header = json.loads(first)
    assert header["version"] == 2
    screen = pyte.Screen(header["width"], header["height"])
    stream = pyte.Stream(screen)
    left, length_s = list(STORY), 0.0
    for line in rest:
        length_s, kind, data = json.loads(line)
        assert kind == "o"
        stream.feed(re.sub(r"\x1b\[[<>=][0-9;]*[a-zA-Z]", "", data))
        if left and left[0] in "\n".join(screen.display):
            left.pop(0)
    assert left == []
    assert 18 < length_s < 40


def test_neither_file_names_a_folder_or_a_host_of_the_recording_machine() -> None:
    for file in (SVG, CAST):
        text = file.read_text("utf-8")
        assert not re.search(r"/(tmp|home|Users|root|var|work|private)/", text)
        hosts = set(re.findall(r"\d+\.\d+\.\d+\.\d+", text))
        assert hosts <= {"127.0.0.1"}
