"""Pasted errors name their technology to whoever knows them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.words.request_reading import technologies, without_frames
from tests.routing.library import LIBRARY, make_agent

PYTHON = """\
Traceback (most recent call last):
  File "/app/shop/cart.py", line 12, in total
    return sum(prices)
  File "/usr/lib/python3.12/site-packages/django/db/models.py", line 88, in get
TypeError: unsupported operand type(s) for +: 'int' and 'str'
"""
JAVA = """\
java.lang.NullPointerException: Cannot invoke "OrderRepository.save(Object)"
\tat com.shop.order.OrderService.place(OrderService.java:41)
\tat org.springframework.web.servlet.FrameworkServlet.service(FrameworkServlet.java:883)
\tat java.base/java.lang.Thread.run(Thread.java:833)
"""


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (PYTHON, "python django"),
        (JAVA, "java spring"),
        ("error[E0502]: cannot borrow `x` as mutable", "rust"),
        ("goroutine 1 [running]:\nmain.go:88 +0x1d", "golang"),
        ("TS2345: Argument of type 'string' is not assignable", "typescript"),
        ("useEffect runs twice", "react"),
        ("at Shop.Cart.Total() in /src/Cart.cs:line 27", "csharp dotnet"),
        ("CrashLoopBackOff: back-off restarting failed container", "kubernetes"),
        ("SELECT * FROM orders takes nine seconds", "sql database query"),
        ("select a color from the list", ""),
        ("review calc.py", ""),
        ("why does the build fail?", ""),
    ],
)
def test_errors_name_their_technology(text: str, named: str) -> None:
    assert technologies(text) == named


def test_frames_are_left_out_and_messages_stay():
    assert without_frames(JAVA).strip() == JAVA.splitlines()[0]
    assert "unsupported operand" in without_frames(PYTHON)
    assert "/app/shop" not in without_frames(PYTHON)


def test_lines_that_look_like_prose_stay():
    text = "look at this\nat noon it fails (again)\nat 9 I write the test"
    assert without_frames(text) == text


def test_a_trace_of_frames_alone_stays():
    assert without_frames("\tat com.shop.Order.place(Order.java:4)")


@given(st.text())
def test_any_text_can_be_searched_for_errors(text):
    assert isinstance(technologies(text), str)
    assert isinstance(without_frames(text), str)


def test_a_pasted_error_finds_the_agent_of_its_language():
    rust = make_agent("rust-engineer", "Writes Rust: ownership, lifetimes, traits.")
    ranked = LocalMatcher((*LIBRARY, rust)).rank(
        "error[E0502]: cannot borrow `x` as mutable because it is also borrowed as immutable"
    )
    assert ranked[0].agent.endswith("rust-engineer")


def test_what_is_said_before_a_long_trace_counts():
    frames = "\n".join(f"\tat com.shop.Name{n}.run(Name{n}.java:{n})" for n in range(400))
    text = f"{frames}\nmake this SQL query faster"
    assert LocalMatcher(LIBRARY).rank(text)[0].agent == "data:database-optimizer"


def test_of_a_long_text_only_the_beginning_is_read():
    assert technologies("x" * 30_000 + PYTHON) == ""
