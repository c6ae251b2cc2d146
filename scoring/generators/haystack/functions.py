"""What is known of a Python file from its syntax tree and symbol tables. Nothing is ever run."""

import ast
import builtins
import re
import symtable
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from scoring.generators.haystack.texts import Text

_STAR = re.compile(r"\bimport\s+\*")
_GLOBAL = re.compile(r"^\s*global ([\w, ]+)", re.MULTILINE)
KNOWN = {*dir(builtins), "__file__", "__name__", "__doc__", "__path__", "__class__", "__spec__"}
FEWEST, MOST = 5, 60  # lines of a function that is asked about
Definition = ast.FunctionDef
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Function:
    name: str  # “function”, or “Class.method”
    node: Definition
    file: "File"

    @cached_property
    def source(self) -> str:
        return "\n".join(self.file.lines[self.first : self.last])

    @property
    def first(self) -> int:
        """Its first line, from 0, with its decorators."""
        return min([self.node.lineno, *(one.lineno for one in self.node.decorator_list)]) - 1

    @property
    def last(self) -> int:
        """The line after it."""
        return self.node.end_lineno or self.node.lineno

    @cached_property
    def bound(self) -> Counter[str]:
        """How often each name is bound in it, in functions inside it too."""
        return Counter(_bound_names(self.node))


class File:
    """A module that compiles, and whose names are all known."""

    def __init__(self, text: Text, tree: ast.Module) -> None:
        self.name, self.text = text.name, text.text
        self.tokens = text.tokens
        self.lines = text.text.split("\n")
        self.tree = tree
        self.globals = Counter(_bound_names(tree, inside_functions=False))
        self.names = KNOWN | self.globals.keys()

    @cached_property
    def functions(self) -> list[Function]:
        """Those that can be asked about: functions of the module, and methods of its classes."""
        found = [*_functions(self.tree.body, "")]
        return [
            Function(name, node, self)
            for name, node in found
            if FEWEST <= (node.end_lineno or 0) - node.lineno < MOST and not _is_odd(node)
        ]

    @cached_property
    def definitions(self) -> list[str]:
        return [node.name for node in ast.walk(self.tree) if isinstance(node, Scope)]


def parsed(text: Text) -> File | None:
    """None of a file that does not compile, is not plain, or has a name that is not known."""
    if "\t" in text.text or "\f" in text.text or "\x0b" in text.text:
        return None
    try:
        tree = ast.parse(text.text)
        file = File(text, tree)
        return None if unknown_names(text.text, text.name) or not file.functions else file
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def unknown_names(source: str, name: str) -> set[str]:
    """The names that functions of a module read and that neither they, nor the module, nor Python
    binds. Raises ``SyntaxError``. ``{"*"}``: it imports everything of another, so none is known."""
    if _STAR.search(source):
        return {"*"}
    top = symtable.symtable(source, name, "exec")
    bound = {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported()}
    bound |= {one.get_name() for one in top.get_children()}
    for names in _GLOBAL.findall(source):
        bound |= set(names.replace(",", " ").split())
    return {
        symbol.get_name()
        for table in _tables(top)
        for symbol in table.get_symbols()
        if symbol.is_referenced()
        and symbol.is_global()
        and symbol.get_name() not in bound
        and symbol.get_name() not in KNOWN
    }


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


def _functions(body: list[ast.stmt], owner: str) -> Iterator[tuple[str, Definition]]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield f"{owner}{node.name}", node
        elif isinstance(node, ast.ClassDef) and not owner:
            yield from _functions(node.body, f"{node.name}.")


def _is_odd(node: Definition) -> bool:
    """Whether names may come and go in it otherwise than by what its tree says."""
    calls = {"exec", "eval", "locals", "vars", "globals", "delattr"}
    return node.name.startswith("__") or any(
        isinstance(one, ast.Global | ast.Nonlocal | ast.Delete | ast.ImportFrom | ast.Match)
        or (isinstance(one, ast.Name) and one.id in calls)
        for one in ast.walk(node)
    )


def _bound_names(node: ast.AST, *, inside_functions: bool = True) -> Iterator[str]:
    nodes = ast.walk(node) if inside_functions else _nodes(node)
    return (name for one in nodes if one is not node and (name := bound_name(one)))


def bound_name(node: ast.AST) -> str:
    """The name that a node by itself gives to something, or takes from it."""
    if isinstance(node, ast.Name):
        return "" if isinstance(node.ctx, ast.Load) else node.id
    if isinstance(node, ast.alias):
        return (node.asname or node.name).partition(".")[0]
    if isinstance(node, ast.arg):
        return node.arg
    return (node.name or "") if isinstance(node, Scope | ast.ExceptHandler) else ""


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All below it, but what is inside functions and classes."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, Scope | ast.Lambda):
            yield from _nodes(child)
