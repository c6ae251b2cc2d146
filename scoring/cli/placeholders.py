"""Stand-ins for packages that are not installed: so that ``--help`` can list the options of a
command, whose module imports them. Nothing else may be done with them."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

PACKAGES = ("cryptography", "httpx2", "tiktoken", "yaml")  # of the extras, as they are imported


class _Name(type):
    """Of anything in such a package: a class, which may be a base, an annotation, an exception."""

    def __getattr__(cls, name: str) -> "_Name":
        return _Name(name, (Exception,), {})


class _Package(ModuleType):
    def __getattr__(self, name: str) -> _Name:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Name(name, (Exception,), {})


class _Placeholders(MetaPathFinder, Loader):
    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        is_known = name.partition(".")[0] in PACKAGES
        return ModuleSpec(name, self, is_package=True) if is_known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Package(spec.name)

    def exec_module(self, _module: ModuleType) -> None: ...


@contextmanager
def placeholders() -> Iterator[None]:
    """After all others: what is installed is imported as it is."""
    finder = _Placeholders()
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
