"""Bugs put into real functions, each proved on the syntax tree: the code is never run.

Each kind yields the changed lines of the whole file, as many as there are places for it. A bug is
certain to be one wherever the changed statement is reached.
"""

import ast
from collections.abc import Callable, Iterator
from itertools import chain

from scoring.generators.haystack.functions import File, Function, unknown_names

Lines = list[str]  # of the whole file
_STEP = 4
_MAY_END = (  # a loop in which one of these stands, or do anything
    *(ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await, ast.Try),
    *(ast.Call, ast.Subscript, ast.Attribute, ast.NamedExpr),
)


def missing_declaration(function: Function) -> Iterator[Lines]:
    """The only assignment to a variable is gone, and a later statement beside it reads it."""
    for body in _blocks(function.node):
        for place, one in enumerate(body[:-1]):
            if not (isinstance(one, ast.Assign) and len(one.targets) == 1 and _on_its_lines(one)):
                continue
            target = one.targets[0]
            if not isinstance(target, ast.Name) or function.bound[target.id] != 1:
                continue
            evaluated = [node for later in body[place + 1 :] for node in _surely_evaluated(later)]
            reads = {node.id for node in evaluated if isinstance(node, ast.Name)}
            if target.id in reads - function.file.names:
                yield _without(function.file, one)


def argument_count(function: Function) -> Iterator[Lines]:
    """A function of the module gets an argument too many, or none where it needs some."""
    file = function.file
    known = {
        node.name: node
        for node in file.tree.body
        if isinstance(node, ast.FunctionDef) and file.globals[node.name] == 1
    }
    for call in ast.walk(function.node):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            continue
        called = known.get(call.func.id)
        if called is None or called.decorator_list or function.bound[call.func.id]:
            continue
        takes, end = called.args, (call.end_lineno, call.end_col_offset)
        if takes.vararg or takes.kwarg or call.lineno != end[0] or not call.args or call.keywords:
            continue
        if any(isinstance(one, ast.Starred) for one in call.args):
            continue
        most = len(takes.posonlyargs) + len(takes.args)
        needed = most - len(takes.defaults)
        line = file.lines[call.lineno - 1].encode()
        last = call.args[-1].end_col_offset or 0
        if len(call.args) == most and call.args[-1].end_lineno == call.lineno:
            yield _changed(file, call.lineno, line[:last] + b", %d" % most + line[last:])
        if needed == len(call.args) > 0:
            start = call.args[-2].end_col_offset if len(call.args) > 1 else None
            begin = call.args[0].col_offset if start is None else start
            yield _changed(file, call.lineno, line[: begin or 0] + line[last:])


def endless_loop(function: Function) -> Iterator[Lines]:
    """The only change of what a loop is waiting for is gone, and nothing else ends the loop."""
    for loop in ast.walk(function.node):
        if not isinstance(loop, ast.While):
            continue
        tested = [*ast.walk(loop.test)]
        names = {node.id for node in tested if isinstance(node, ast.Name)}
        inside = [[*ast.walk(one)] for one in loop.body]
        changes = [
            one
            for one, nodes in zip(loop.body, inside, strict=True)
            if any(
                isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names
                for node in nodes
            )
        ]
        may_end = any(isinstance(node, _MAY_END) for node in chain(tested, *inside))
        if may_end or len(changes) != 1 or len(loop.body) < 2:
            continue
        if isinstance(changes[0], ast.Assign | ast.AugAssign) and _on_its_lines(changes[0]):
            yield _without(function.file, changes[0])


def undefined_name(function: Function) -> Iterator[Lines]:
    """A local variable is read under a name that nothing has."""
    file = function.file
    for body in _blocks(function.node):
        for one in body:
            for node in _surely_evaluated(one):
                if isinstance(node, ast.Name) and function.bound[node.id] and node.id != "self":
                    wrong = _renamed(node.id, function)
                    line = file.lines[node.lineno - 1].encode()
                    start, end = node.col_offset, node.end_col_offset or 0
                    yield _changed(file, node.lineno, line[:start] + wrong.encode() + line[end:])


def indentation(function: Function) -> Iterator[Lines]:
    """A statement stands too far to the right, or the first one of a block not far enough."""
    file = function.file
    for body in _blocks(function.node):
        for place, one in enumerate(body):
            line = file.lines[one.lineno - 1]
            if not _on_its_lines(one) or one.lineno != one.end_lineno:
                continue
            if place:
                yield _changed(file, one.lineno, b" " * _STEP + line.encode())
            elif not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)):
                yield _changed(file, one.lineno, line.removeprefix(" " * _STEP).encode())


def syntax(function: Function) -> Iterator[Lines]:
    """A colon, a closing bracket, a comma or an “in” is missing: of each way the place in the
    middle, so that none is more frequent because there are more places for it."""
    file = function.file
    ways: dict[str, list[Lines]] = {}

    def add(way: str, number: int, line: str) -> None:
        ways.setdefault(way, []).append(_changed(file, number, line.encode()))

    for node in ast.walk(function.node):
        if isinstance(node, ast.For | ast.While | ast.If | ast.With):
            line = file.lines[node.lineno - 1]
            if line.rstrip().endswith(":"):
                add("colon", node.lineno, line.rstrip()[:-1])
            if isinstance(node, ast.For) and line.count(" in ") == 1:
                add("in", node.lineno, line.replace(" in ", " "))
        elif isinstance(node, ast.stmt) and _on_its_lines(node):
            line = file.lines[(node.end_lineno or 1) - 1]
            if line.endswith((")", "]", "}")) and len(line.strip()) > 1:
                add("bracket", node.end_lineno or 1, line[:-1])
            if node.lineno == node.end_lineno and line.count(", ") == 1:
                add("comma", node.lineno, line.replace(", ", " "))
    for places in ways.values():
        yield places[len(places) // 2]


BUGS: dict[str, Callable[[Function], Iterator[Lines]]] = {
    "missing declaration": missing_declaration,
    "argument count": argument_count,
    "endless loop": endless_loop,
    "undefined name": undefined_name,
    "indentation": indentation,
    "syntax": syntax,
}
_FAULTS = {  # of the others, nothing is wrong with the module as such
    "missing declaration": "unknown name",
    "undefined name": "unknown name",
    "indentation": "indentation",
    "syntax": "syntax",
}


def proved(kind: str, function: Function, lines: Lines) -> bool:
    """Whether the file is broken just as the kind says, and in this function alone."""
    file = function.file
    after = len(file.lines) - function.last
    kept = lines[: function.first] == file.lines[: function.first]
    kept = kept and (not after or lines[-after:] == file.lines[-after:])
    return kept and _fault("\n".join(lines), file.name) == _FAULTS.get(kind, "")


def _fault(text: str, name: str) -> str:
    """What is wrong with a module, as far as it can be seen without running it."""
    try:
        ast.parse(text)
        return "unknown name" if unknown_names(text, name) else ""
    except IndentationError:
        return "indentation"
    except SyntaxError:
        return "syntax"
    except (ValueError, RecursionError, MemoryError):
        return "unreadable"


_HEADS: dict[type[ast.stmt], str] = {
    ast.Assign: "value",
    ast.AugAssign: "value",
    ast.Return: "value",
    ast.Expr: "value",
    ast.If: "test",
    ast.While: "test",
    ast.For: "iter",
}
_APART = (  # names in them are bound there, or their places are those of the whole
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.JoinedStr),
)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The bodies of a function, without those of functions and classes inside it."""
    for name in ("body", "orelse", "finalbody"):
        body = getattr(node, name, None)
        if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
            yield body
            for one in body:
                if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    yield from _blocks(one)


def _surely_evaluated(one: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement that are evaluated whenever it is reached."""
    heads = [getattr(one, _HEADS[type(one)], None)] if type(one) in _HEADS else []
    while heads:
        head = heads.pop()
        if head is None or isinstance(head, _APART):
            continue
        yield head
        if isinstance(head, ast.BoolOp):
            heads.append(head.values[0])
        elif isinstance(head, ast.IfExp):
            heads.append(head.test)
        elif isinstance(head, ast.Compare):
            heads += [head.left, head.comparators[0]]
        else:
            children = ast.iter_child_nodes(head)
            heads += [
                node.value if isinstance(node, ast.keyword) else node
                for node in children
                if isinstance(node, ast.expr | ast.keyword)
            ]


def _renamed(name: str, function: Function) -> str:
    """A name that half a renaming would leave: another variable's end, or a longer one."""
    known = function.file.names | function.bound.keys()
    others = sorted(one for one in function.bound if one != name and len(one) > 1)
    tries = [f"{name}_{one}" for one in others] + [f"{name}_{at}" for at in ("new", "value", "0")]
    return next(one for one in tries if one not in known)


def _on_its_lines(one: ast.stmt) -> bool:
    """Whether a statement shares no line with another, as far as its columns say."""
    return one.col_offset % _STEP == 0


def _without(file: File, one: ast.stmt) -> Lines:
    return file.lines[: one.lineno - 1] + file.lines[one.end_lineno or one.lineno :]


def _changed(file: File, number: int, line: bytes) -> Lines:
    return [*file.lines[: number - 1], line.decode(), *file.lines[number:]]
