"""The stored address and token: readable by one user, sent to one site."""

import stat
from pathlib import Path

import pytest

from scoring.site.errors import LoginError
from scoring.site.login import (
    Login,
    address_of,
    find_login,
    forget_login,
    login_file,
    write_login,
)

HOST, TOKEN = "https://bench.example.org", "ibench_stored"


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    write_login(Login(HOST, TOKEN), login_file(environment))
    return environment


def test_only_its_owner_can_read_it(home: dict[str, str]) -> None:
    file = login_file(home)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [one.name for one in file.parent.iterdir()] == ["login.json"]
    file.chmod(0o644)
    with pytest.raises(LoginError, match="can be read by others"):
        find_login(environment=home)
    assert (forget_login(file), forget_login(file)) == (True, False)


@pytest.mark.parametrize("content", ["", "[]", '{"address": 3, "token": "x"}', '{"token": "x"}'])
def test_a_damaged_file_is_named(home: dict[str, str], content: str) -> None:
    login_file(home).write_text(content)
    with pytest.raises(LoginError, match="damaged"):
        find_login(environment=home)


def test_a_stored_token_goes_to_its_own_site_only(home: dict[str, str]) -> None:
    assert find_login(environment=home) == Login(HOST, TOKEN)
    assert find_login("bench.example.org/", home).token == TOKEN
    other = "https://other.example.org"
    named = {**home, "INFINITEBENCH_SITE": other}
    for site, environment in ((other, home), ("", named)):
        with pytest.raises(LoginError, match="no token for https://other"):
            find_login(site, environment)
    assert find_login(environment={**named, "INFINITEBENCH_TOKEN": " t\n"}) == Login(other, "t")
    with pytest.raises(LoginError, match="No site"):
        find_login(environment={"XDG_CONFIG_HOME": f"{home['XDG_CONFIG_HOME']}/none"})


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("bench.example.org", HOST),
        ("HTTPS://Bench.Example.org/", HOST),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://[::1]:80/", "http://[::1]:80"),
    ],
)
def test_addresses_are_kept_in_one_form(text: str, address: str) -> None:
    assert address_of(text) == address


@pytest.mark.parametrize(
    "text",
    ["", "http://bench.example.org", "ftp://x", "https://a:b@x", "https://x/y", "https://x:y",
     "http://127.0.0.1.example.org", "https://x?y", "http://2130706433"],
)  # fmt: skip
def test_other_addresses_are_refused(text: str) -> None:
    with pytest.raises(LoginError):
        address_of(text)
