"""Where definitions begin and end, in each family of languages."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import secretary_tui
from secretary_tui.delegation.lookup.definitions import defined_as, definitions_in

SOURCES = {
    "a.py": '''LIMIT: int = 5
NAMES = (
    "a",
)
# Keeps it.
@dataclass
class Box:
    text = """
left
"""

    async def open(
        self,
    ) -> None:
        pass
''',
    "a.ts": """export const URL = "x";

/** Loads. */
export const load = async (id: string): Promise<User> => {
  return fetch(id);
};

export default class Store<T> extends Base {
  async add(item: T): Promise<void> {
    if (item) {
      push(item);
    }
  }
  onClick = (event: Event) => {
    this.add(event);
  };
}
""",
    "a.go": """const (
	defaultTTL = 5 * time.Minute
)

// Get gives an entry.
func (c *Cache) Get(key string) (string, bool) {
	err = nil
	return "", false
}

type Cache struct {
	entries int
}
""",
    "a.rs": """/// Splits.
#[derive(Debug)]
pub struct Splitter<'a> {
    line: &'a str,
}

impl Iterator for Splitter<'_> {
    pub(crate) async fn next(&mut self) -> Option<&str>
    where
        A: B,
    {
        None
    }
}
""",
    "Order.java": """public class Order {
    private static final int MAX = 50;

    @Override
    public BigDecimal total(List<Line> lines) throws PriceError {
        return sum(lines);
    }

    void cancel()
    {
        this.state = 1;
    }
}
""",
    "a.kt": """class Repo(private val db: Db) {
    suspend fun load(id: Int): User? {
        return null
    }
}
""",
    "a.cs": """public sealed class Service
{
    public async Task<int> RunAsync(Token token)
    {
        return 1;
    }
}
""",
    "a.c": """#define LIST_MAX 10
static struct node *list_push(struct node *head, int value)
{
    return call(head);
}
""",
    "a.cpp": """class Box {
    int size() const {
        return 1;
    }
};

void Box::open(int by) {
    return;
}
""",
    "a.rb": """class Sender
  RETRIES = 3
  def self.deliver(to:)
    post(to)
  end
end
""",
    "a.php": """class User extends Model
{
    public static function find(string $mail): ?User
    {
        return null;
    }
}
""",
    "a.sh": """#!/bin/bash
TARGET=prod
build() {
  make
}
""",
    "a.sql": """create or replace function touch() returns trigger as $$
begin
  return new;
end;
$$ language plpgsql;
CREATE TABLE IF NOT EXISTS app.users (
  id INT
);
""",
    "a.yml": """jobs:
  build:
    steps:
    - run: x
# How long.
timeout: 3
""",
    "a.toml": """[tool.desk]
name = "x"

[other]
y = 1
""",
    "a.json": """{
  "scripts": {
    "test": "x"
  }
}
""",
    "Makefile": """CC := gcc
build: a.o
	gcc x
""",
    "a.md": """# Guide
## Setting up
```sh
# no heading
```
### Details
x

## Next
""",
}
EXPECTED = {
    "a.py": ["LIMIT 1-1", "NAMES 2-4", "Box 5-15", "open 12-15"],
    "a.ts": ["URL 1-1", "load 3-6", "Store 8-17", "add 9-13", "onClick 14-16"],
    "a.go": ["defaultTTL 2-2", "Get 5-9", "Cache 11-13"],
    "a.rs": ["Splitter 1-5", "Splitter 7-14", "next 8-13"],
    "Order.java": ["Order 1-13", "MAX 2-2", "total 4-7", "cancel 9-12"],
    "a.kt": ["Repo 1-5", "load 2-4"],
    "a.cs": ["Service 1-7", "RunAsync 3-6"],
    "a.c": ["LIST_MAX 1-1", "list_push 2-5"],
    "a.cpp": ["Box 1-5", "size 2-4", "open 7-9"],
    "a.rb": ["Sender 1-6", "RETRIES 2-2", "deliver 3-5"],
    "a.php": ["User 1-7", "find 3-6"],
    "a.sh": ["TARGET 2-2", "build 3-5"],
    "a.sql": ["touch 1-5", "users 6-8"],
    "a.yml": ["jobs 1-4", "build 2-4", "steps 3-4", "run 4-4", "timeout 5-6"],
    "a.toml": ["tool.desk 1-2", "name 2-2", "other 4-5", "y 5-5"],
    "a.json": ["scripts 2-4", "test 3-3"],
    "Makefile": ["CC 1-1", "build 2-3"],
    "a.md": ["Guide 1-9", "Setting up 2-7", "Details 6-7", "Next 9-9"],
}


@pytest.mark.parametrize("name", SOURCES)
def test_definitions_are_found_with_their_ends(name: str) -> None:
    lines = SOURCES[name].removesuffix("\n").split("\n")
    found = [f"{one.name} {one.first}-{one.last}" for one in definitions_in(name, lines)]
    assert found == EXPECTED[name]


def test_of_our_own_functions_all_but_a_few_are_found_as_python_itself_sees_them() -> None:
    missed, count = [], 0
    for path in Path(secretary_tui.__file__).parent.rglob("*.py"):
        text = path.read_text("utf-8")
        found = {(one.name, one.last) for one in definitions_in(path.name, text.split("\n"))}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                count += 1
                missed += [node.name] if (node.name, node.end_lineno) not in found else []
    assert len(missed) < count / 500, missed


@pytest.mark.parametrize(
    ("name", "first"),
    [("Store.add", 9), ("Store::add", 9), ("store", 8), ("on_click", 14), ("on click", 14)],
)
def test_a_name_may_be_spelled_in_another_manner(name: str, first: int) -> None:
    found = definitions_in("a.ts", SOURCES["a.ts"].split("\n"))
    assert [one.first for one in defined_as(name, found)] == [first]


@pytest.mark.parametrize("name", ["Other.add", "nothing", "", "."])
def test_what_is_not_defined_is_not_found(name: str) -> None:
    assert defined_as(name, definitions_in("a.ts", SOURCES["a.ts"].split("\n"))) == []
