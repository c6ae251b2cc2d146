"""What is obviously wrong with a function, found by parsing it: nothing is ever executed."""

import ast
import textwrap
import warnings
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from scoring.generators.haystack.functions import KNOWN, bound_name

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_SCOPES = (*_FUNCTIONS, *_COMPREHENSIONS, ast.Lambda)  # their names are unknown outside
# Nodes that run in another order than that of their fields, or not at all.
_ORDER: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Assign: ("value", "targets"),
    ast.AnnAssign: ("value", "target"),
    ast.AugAssign: ("value", "target"),
    ast.NamedExpr: ("value", "target"),
    ast.For: ("iter", "target", "body", "orelse"),
    ast.comprehension: ("iter", "target", "ifs"),
    ast.arguments: (
        "defaults", "kw_defaults", "posonlyargs", "args", "vararg", "kwonlyargs", "kwarg",
    ),
    ast.arg: (),
    ast.ClassDef: ("decorator_list", "bases", "body"),
    **dict.fromkeys(_FUNCTIONS, ("decorator_list", "args", "body")),
    **dict.fromkeys(_COMPREHENSIONS, ("generators", "elt", "key", "value")),
}  # fmt: skip
_LEAVES = ast.Break | ast.Return | ast.Raise | ast.Yield | ast.YieldFrom | ast.Await


class Arity(NamedTuple):
    least: int
    most: int | None  # None: any number
    names: frozenset[str]  # that may be passed by name

    def fits(self, call: ast.Call) -> bool:
        """Whether a function can be called like this; calls with stars are trusted."""
        names = [keyword.arg for keyword in call.keywords]
        if None in names or any(isinstance(value, ast.Starred) for value in call.args):
            return True
        if self.most is not None and not set(names) <= self.names:
            return False
        given = len(call.args) + len(names)
        return self.least <= given and (self.most is None or given <= self.most)


def parsed(source: str) -> ast.Module | None:
    """The syntax tree; None if this is no code: wrong syntax, or wrong indentation.

    Raises ``RecursionError`` or ``MemoryError`` for code that is nested too deeply.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(textwrap.dedent(source))
    except (SyntaxError, ValueError):
        return None


def arity_of(arguments: ast.arguments, *, is_method: bool) -> Arity:
    """How many arguments a function takes; for a method, without the object itself."""
    positional = [*arguments.posonlyargs, *arguments.args][is_method:]
    needed = len(positional) - len(arguments.defaults)
    named = [default for default in arguments.kw_defaults if default is None]
    names = frozenset(one.arg for one in [*positional, *arguments.kwonlyargs])
    endless = arguments.vararg or arguments.kwarg
    most = None if endless else len(positional) + len(arguments.kwonlyargs)
    return Arity(max(0, needed) + len(named), most, names)


def unknown_names(
    node: ast.AST, given: Collection[str], known: set[str] | None = None
) -> Iterator[str]:
    """Names that are used before they are bound, in the order of execution.

    ``known`` grows by what is bound here; ``given`` may be large, and is never copied.
    """
    known = set() if known is None else known
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return
    used = _used(node)
    if used and not any(used in names for names in (known, given, KNOWN)):
        yield used
    known.add(bound_name(node))
    inside = set(known) if isinstance(node, _SCOPES) else known
    for field in _ORDER.get(type(node), node._fields):
        part = getattr(node, field, None)
        for one in part if isinstance(part, list) else [part]:
            if isinstance(one, ast.AST):
                yield from unknown_names(one, given, inside)


def _used(node: ast.AST) -> str:
    """The name whose value a node itself reads; for “x += 1” that is x."""
    if isinstance(node, ast.AugAssign):
        return node.target.id if isinstance(node.target, ast.Name) else ""
    return node.id if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store) else ""


def called_names(tree: ast.AST) -> set[str]:
    """Functions that are called by name, and methods of ``self``."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    names = {_called(call.func) for call in calls}
    return {name for name in names if name and ("." not in name or name.startswith("self."))}


def wrong_calls(tree: ast.AST, arities: Mapping[str, Collection[Arity]]) -> Iterator[str]:
    """Functions that are called with a number of arguments that none of that name takes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = _called(node.func)
            known = arities.get(name, ())
            if known and not any(arity.fits(node) for arity in known):
                yield name


def endless_loops(tree: ast.AST) -> Iterator[ast.While]:
    """Loops whose condition nothing inside them changes, and that nothing leaves."""
    for loop in ast.walk(tree):
        if isinstance(loop, ast.While) and not any(map(_is_call, ast.walk(loop.test))):
            inside = [node for part in loop.body for node in ast.walk(part)]
            looked_at = {node.id for node in ast.walk(loop.test) if isinstance(node, ast.Name)}
            touched = {name for node in inside for name in _touched(node)}
            if not looked_at & touched and not any(isinstance(node, _LEAVES) for node in inside):
                yield loop


def _called(function: ast.expr) -> str:
    """``name``, or ``self.name`` for a method of the same object."""
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return f"{function.value.id}.{function.attr}"
    return ""


def _is_call(node: ast.AST) -> bool:
    """Whether it may change something: ``len(queue)`` and its like only look."""
    if not isinstance(node, ast.Call):
        return False
    return not (isinstance(node.func, ast.Name) and node.func.id in KNOWN)


def _touched(node: ast.AST) -> Iterator[str]:
    """Names that are rebound here, or whose object may be changed: ``queue.pop()``."""
    changed: list[ast.AST] = []
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        changed = [] if isinstance(node.ctx, ast.Load) else [node]
    elif isinstance(node, ast.Call) and _is_call(node):
        changed = [node.func, *node.args] if isinstance(node.func, ast.Attribute) else [*node.args]
    for root in changed:
        one = root
        while isinstance(one, ast.Attribute | ast.Subscript):
            one = one.value
        if isinstance(one, ast.Name):
            yield one.id
