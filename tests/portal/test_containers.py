"""The compose file, as far as it can be checked without an engine; see also "make image-test"."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.paths import ROOT

FOLDER = ROOT / "docker"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
WITH_BUCKET: dict[str, Any] = yaml.safe_load((FOLDER / "s3.yaml").read_text(encoding="utf-8"))
ONCE = {"migrate", "manage"}  # they end by themselves
OUTSIDE = {  # services that reach other machines, and their networks
    "proxy": {"front"}, "runs": {"outside"}, "imports": {"outside"}, "mail": {"mail"},
    "manage": {"outside"},
}  # fmt: skip
MADE_ELSEWHERE = {"email_password", "s3_access_key_id", "s3_secret_access_key"}  # or not needed
QUEUES = ("scoring", "runs", "mail", "imports")
OTHERS = {"DATABASE_PASSWORD"}  # variables of other programs than the site
SECRET = re.compile(r"SECRET|PASSWORD|TOKEN|KEY|_URL$")

# A fake engine with one container, the database's under the tag v1; it records what is started.
ENGINE = """#!/bin/sh
case "$*" in
    "compose ps -q") echo one ;;
    "inspect one "*) echo "database $RUNNING localhost/infinitebench/database:v1" ;;
    "image inspect "*database:v1) echo "$TAGGED" ;;
    "image inspect "*database:v2) echo same ;;
    "image inspect "*) exit 1 ;;
    "compose up "*) echo "${DATABASE_VERSION:-of this version} ${*##*--no-deps }" >>"$WRITTEN" ;;
esac
"""

every_service = pytest.mark.parametrize("service", SERVICES.values(), ids=list(SERVICES))


def settings_read() -> set[str]:
    """The variables that the settings read."""
    files = (ROOT / "portal/settings.py", ROOT / "portal/env.py")
    source = "".join(file.read_text(encoding="utf-8") for file in files)
    return set(re.findall(r"\b(?:env\.\w+|secrets_of)\(\s*[\"'](\w+)[\"']", source))


def memory(text: str) -> int:
    """The bytes in an amount such as 256m."""
    return int(text[:-1]) << {"m": 20, "g": 30}[text[-1]]


@every_service
def test_a_service_has_no_rights_and_cannot_write(service: dict[str, Any]) -> None:
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["read_only"] is True
    assert "privileged" not in service
    assert not {"cap_add", "devices", "network_mode", "pid", "ipc"} & service.keys()


@every_service
def test_a_service_is_not_root(service: dict[str, Any]) -> None:
    user, group = map(int, service["user"].split(":"))
    assert user > 10_000
    assert group > 10_000


@every_service
def test_a_service_has_limits(service: dict[str, Any]) -> None:
    assert 0 < memory(service["mem_limit"]) <= 3 << 30
    assert 0 < service["pids_limit"] <= 256
    for folder in service.get("tmpfs", []):
        size = memory(folder.rpartition("size=")[2])
        assert size <= memory(service["mem_limit"]) / 2


@pytest.mark.parametrize("name", sorted(SERVICES.keys() - ONCE))
def test_a_service_that_stays_is_watched_and_started_again(name: str) -> None:
    service = SERVICES[name]
    assert service["healthcheck"]["test"][0] == "CMD"
    assert service["restart"] == "unless-stopped"


@pytest.mark.parametrize(
    "service", [*SERVICES.values(), *WITH_BUCKET["services"].values()],
    ids=[*SERVICES, *(f"{name}, with a bucket" for name in WITH_BUCKET["services"])],
)  # fmt: skip
def test_no_secret_is_in_the_environment(service: dict[str, Any]) -> None:
    for name, value in service.get("environment", {}).items():
        if name.endswith("_FILE"):
            assert value.removeprefix("/run/secrets/") in service["secrets"]
        else:
            assert not SECRET.search(name)


def test_each_variable_is_one_that_settings_know() -> None:
    services = [*SERVICES.values(), *WITH_BUCKET["services"].values()]
    names = {name for service in services for name in service.get("environment", {})}
    assert {name.removesuffix("_FILE") for name in names} <= settings_read() | OTHERS
    example = (FOLDER / "site.env.example").read_text(encoding="utf-8")
    assert set(re.findall(r"^#? ?([A-Z_]+)=", example, re.MULTILINE)) <= settings_read()


@pytest.mark.parametrize("name", SERVICES)
def test_only_those_who_must_reach_other_machines(name: str) -> None:
    inside = {network for network, how in COMPOSE["networks"].items() if how and how["internal"]}
    assert inside == {"back"}
    assert set(SERVICES[name]["networks"]) - inside == OUTSIDE.get(name, set())


def test_only_the_proxy_is_published_and_it_meets_nothing_but_the_web_process() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert SERVICES["proxy"]["networks"] == ["front"]
    assert set(SERVICES["proxy"]["secrets"]) == {"certificate", "certificate_key"}


def test_no_page_waits_for_the_name_of_a_service_that_is_gone() -> None:
    """When Redis went away, pages took 21 seconds."""
    for name, service in SERVICES.items():
        if service["image"].startswith("localhost/infinitebench/site:"):
            assert {"timeout:1", "attempts:1"} <= set(service["dns_opt"]), name


def test_the_proxy_reads_the_files_that_it_is_told_to_send_and_changes_none() -> None:
    proxy, site = SERVICES["proxy"], SERVICES["web"]
    assert site["environment"]["PROXY_DOWNLOADS"] == "1"
    assert "files:/files" in site["volumes"]
    assert "files:/files:ro" in proxy["volumes"]
    assert not [volume for volume in proxy["volumes"] if volume.startswith(("data:", "database:"))]
    assert proxy["group_add"] == [site["user"].partition(":")[2]]


def test_with_a_bucket_services_get_its_key_and_a_way_to_it_and_nothing_else() -> None:
    for name, service in WITH_BUCKET["services"].items():
        assert service.keys() <= {"environment", "secrets", "networks"}
        reaches_out = {*SERVICES[name]["networks"], *service.get("networks", [])} - {"back"}
        assert reaches_out
    writers = {name for name, one in SERVICES.items() if "files:/files" in one.get("volumes", [])}
    without_files = {"mail", "migrate"}
    assert WITH_BUCKET["services"].keys() == writers - without_files


@pytest.mark.parametrize("name", QUEUES)
def test_each_queue_has_a_worker(name: str) -> None:
    assert SERVICES[name]["command"] == ["worker", name]


def test_nothing_starts_before_the_database_is_up_to_date() -> None:
    done = {"condition": "service_completed_successfully"}
    for name in {"web", "sweeper"} | {*QUEUES}:
        assert SERVICES[name]["depends_on"]["migrate"] == done


def test_each_secret_is_used_and_made(tmp_path: Path) -> None:
    """A stand-in takes the place of chown, which only root may call."""
    services = [*SERVICES.values(), *WITH_BUCKET["services"].values()]
    used = {secret for service in services for secret in service["secrets"]}
    assert used == COMPOSE["secrets"].keys() | WITH_BUCKET["secrets"].keys()
    made = make_secrets(tmp_path)
    assert {file.name for file in made} == used
    assert {file.stat().st_mode & 0o777 for file in made} == {0o600}
    owners = dict(line.split() for line in (tmp_path / "owners").read_text().splitlines())
    for service in SERVICES.values():
        for secret in service["secrets"]:
            assert owners[f"{secret}.new"] == service["user"]


def test_secrets_are_made_once(tmp_path: Path) -> None:
    before = {file.name: file.read_bytes() for file in make_secrets(tmp_path)}
    assert {file.name: file.read_bytes() for file in make_secrets(tmp_path)} == before
    random = [text for text in before.values() if text]
    assert len(set(random)) == len(random)
    assert before.keys() - {name for name, text in before.items() if text} == MADE_ELSEWHERE


def make_secrets(folder: Path) -> list[Path]:
    programs = stand_ins(folder, chown=f'#!/bin/sh\necho "$2" "$1" >>{folder}/owners\n')
    script = folder / "secrets.sh"
    script.write_bytes((FOLDER / "secrets.sh").read_bytes())
    path = f"{programs}:{os.environ['PATH']}"
    subprocess.run(
        ["sh", script, "board.example"], env={"PATH": path}, check=True, capture_output=True
    )
    return sorted((folder / "secrets").iterdir())


def stand_ins(folder: Path, **sources: str) -> Path:
    """A folder of programs that replace others of the same name."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    for name, source in sources.items():
        (programs / name).write_text(source)
        (programs / name).chmod(0o755)
    return programs


@pytest.mark.parametrize(
    ("running", "tagged", "tag"),
    [
        ("same", "same", "v1"),
        ("another", "another", "of this version"),
        ("same", "another", "of this version"),  # v1 was built again
    ],
)
def test_a_database_whose_image_is_the_same_stays_under_its_tag(
    tmp_path: Path, running: str, tagged: str, tag: str
) -> None:
    """Compose then leaves its container running. The web process comes after all workers."""
    programs = stand_ins(tmp_path, chown="#!/bin/sh\n", id="#!/bin/sh\necho 0\n", engine=ENGINE)
    for name in ("up.sh", "secrets.sh"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    (tmp_path / "site.env").write_text("ALLOWED_HOSTS=board.example\n")
    variables = {
        "PATH": f"{programs}:{os.environ['PATH']}", "ENGINE": "engine", "COMPOSE": "engine compose",
        "VERSION": "v2", "RUNNING": running, "TAGGED": tagged, "WRITTEN": str(tmp_path / "written"),
    }  # fmt: skip
    subprocess.run(["sh", tmp_path / "up.sh"], env=variables, check=True, capture_output=True)
    parts = ("database redis", "scoring runs imports mail sweeper", "web", "proxy")
    assert (tmp_path / "written").read_text().splitlines() == [f"{tag} {part}" for part in parts]


def test_the_seccomp_profile_allows_the_box_and_refuses_what_reaches_beyond() -> None:
    profile = json.loads((FOLDER / "seccomp.json").read_text(encoding="utf-8"))
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    allowed = {
        name
        for rule in profile["syscalls"]
        if rule["action"] == "SCMP_ACT_ALLOW"
        for name in rule["names"]
    }
    assert {"clone", "unshare", "mount", "pivot_root", "landlock_restrict_self"} <= allowed
    assert not {"bpf", "ptrace", "keyctl", "init_module", "io_uring_setup", "setns"} & allowed


def test_the_image_takes_nothing_but_what_it_is_made_of() -> None:
    """It has no secrets and no state from a folder in which the site has run."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    assert not [rule for rule in rules if re.match(r"!(docker$|docker/\*$|docker/s\w*/)", rule)]
