"""What is obviously wrong with a function, found by parsing it: nothing is ever executed."""

import ast
import builtins
import textwrap
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__class__"}
_Functions = ast.FunctionDef | ast.AsyncFunctionDef
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_LEAVES = ast.Break | ast.Return | ast.Raise | ast.Yield | ast.YieldFrom | ast.Await


class Arity(NamedTuple):
    least: int
    most: int | None  # None: any number
    names: frozenset[str]  # that may be given by name

    def fits(self, call: ast.Call) -> bool:
        """Whether a function can be called like this; calls with stars are taken on trust."""
        names = [keyword.arg for keyword in call.keywords]
        if None in names or any(isinstance(value, ast.Starred) for value in call.args):
            return True
        if self.most is not None and not set(names) <= self.names:
            return False
        given = len(call.args) + len(names)
        return self.least <= given and (self.most is None or given <= self.most)


def parsed(source: str) -> ast.Module | None:
    """The code as a tree; None where it is none: wrongly written, or wrongly indented.

    Raises ``RecursionError`` or ``MemoryError`` for code that is nested too deeply.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(textwrap.dedent(source))
    except (SyntaxError, ValueError):
        return None


def arity_of(arguments: ast.arguments, *, method: bool = False) -> Arity:
    """How many arguments a function takes; of a method, without the object itself."""
    positional = [*arguments.posonlyargs, *arguments.args][1 if method else 0 :]
    needed = len(positional) - len(arguments.defaults)
    named = [default for default in arguments.kw_defaults if default is None]
    names = frozenset(one.arg for one in [*positional, *arguments.kwonlyargs])
    endless = arguments.vararg or arguments.kwarg
    most = None if endless else len(positional) + len(arguments.kwonlyargs)
    return Arity(max(0, needed) + len(named), most, names)


def unknown_names(tree: ast.AST, known: Collection[str]) -> Iterator[str]:
    """Names that are used before anything is called so, in the order of execution."""
    reading = _Reading({*_BUILTINS, *known})
    reading.visit(tree)
    yield from reading.unknown


def called_names(tree: ast.AST) -> set[str]:
    """The functions that are called by their name, and methods of ``self``."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    names = {_called(call.func) for call in calls}
    return {name for name in names if name and ("." not in name or name.startswith("self."))}


def wrong_calls(tree: ast.AST, arities: Mapping[str, Collection[Arity]]) -> Iterator[str]:
    """Names of functions that are called with a number of arguments that none of them takes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = _called(node.func)
            known = arities.get(name, ())
            if known and not any(arity.fits(node) for arity in known):
                yield name


def endless_loops(tree: ast.AST) -> Iterator[ast.While]:
    """Loops whose condition nothing inside them changes, and that nothing leaves."""
    for node in ast.walk(tree):
        if isinstance(node, ast.While) and not _changes(node) and not _left(node):
            yield node


def _called(function: ast.expr) -> str:
    """``name``, or ``self.name`` for a method of the same object."""
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return f"{function.value.id}.{function.attr}"
    return ""


def _left(loop: ast.While) -> bool:
    return any(isinstance(node, _LEAVES) for part in loop.body for node in ast.walk(part))


def _changes(loop: ast.While) -> bool:
    """Whether something in the loop may change what its condition looks at."""
    looked_at = {node.id for node in ast.walk(loop.test) if isinstance(node, ast.Name)}
    if any(isinstance(node, ast.Call) and not _is_measure(node) for node in ast.walk(loop.test)):
        return True
    return any(looked_at & set(_touched(node)) for part in loop.body for node in ast.walk(part))


def _is_measure(call: ast.Call) -> bool:
    """``len(queue)`` and its like only look."""
    return isinstance(call.func, ast.Name) and call.func.id in _BUILTINS


def _touched(node: ast.AST) -> Iterator[str]:
    """Names that are bound anew here, or whose object may be changed: ``queue.pop()``."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
        yield from _root(node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield from _root(node.func)
    if isinstance(node, ast.Call) and not _is_measure(node):
        yield from (argument.id for argument in node.args if isinstance(argument, ast.Name))


def _root(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


class _Reading(ast.NodeVisitor):
    """Walks code in the order in which it runs, and keeps the names that are known by then."""

    def __init__(self, known: set[str]) -> None:
        self.given = known  # from outside; these may be many, and are never copied
        self.known: set[str] = set()
        self.unknown: list[str] = []

    def _knows(self, name: str) -> bool:
        return name in self.known or name in self.given

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.known.add(node.id)
        elif not self._knows(node.id):
            self.unknown.append(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._all(node.value, *node.targets)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self._all(node.value, node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name) and not self._knows(node.target.id):
            self.unknown.append(node.target.id)
        self._all(node.value, node.target)

    def visit_For(self, node: ast.For) -> None:
        self._all(node.iter, node.target, *node.body, *node.orelse)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node)

    def _comprehension(self, node: _Comprehension) -> None:
        """Its own names are unknown outside of it."""
        outside = set(self.known)
        for part in node.generators:
            self._all(part.iter, part.target, *part.ifs)
        values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._all(*values)
        self.known = outside

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.known.add(node.name)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        self.known.update((one.asname or one.name).partition(".")[0] for one in node.names)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.known.update(one.asname or one.name for one in node.names)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.known.add(node.name)
        self._all(*node.decorator_list, *node.bases, *node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._within(node.args, [node.body])

    def _function(self, node: _Functions) -> None:
        self._all(*node.decorator_list)
        self.known.add(node.name)
        self._within(node.args, node.body)

    def _within(self, arguments: ast.arguments, body: Sequence[ast.AST]) -> None:
        self._all(*arguments.defaults, *(one for one in arguments.kw_defaults if one))
        outside = set(self.known)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [one for one in (arguments.vararg, arguments.kwarg) if one]
        self.known.update(one.arg for one in every)
        self._all(*body)
        self.known = outside

    def _all(self, *nodes: ast.AST) -> None:
        for node in nodes:
            self.visit(node)
