"""Settings: every one declared once, documented, and refused by name when it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from mandalier.server.config import (
    SECRETS,
    ConfigError,
    documented,
    entries,
    read_config,
    with_settings,
)

HOSTING = Path(__file__).resolve().parents[2] / "docs" / "hosting.md"


def test_without_file_and_environment_all_is_at_its_default() -> None:
    config = read_config(None, {})
    assert (config.server.host, config.server.port) == ("0.0.0.0", 8000)
    ways = (config.notify.push, config.notify.mail_server, config.notify.webhooks)
    assert ways == (False, "", False)


def test_the_environment_goes_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mandalier.toml"
    file.write_text(
        '[server]\nport = 9000\nhost = "0.0.0.0"\nproxies = ["10.0.0.0/8"]\n'
        "[limits]\nmessages_per_second = 5\n",
        encoding="utf-8",
    )
    given = {
        "MANDALIER_CONFIG": str(file),
        "MANDALIER_SERVER_PORT": "9001",
        "MANDALIER_NOTIFY_WEBHOOKS": "yes",
        "MANDALIER_SERVER_ORIGINS": "https://a.example, https://b.example",
        "MANDALIER_LANG": "fr",
    }
    config = read_config(None, given)
    assert (config.server.host, config.server.port) == ("0.0.0.0", 9001)
    assert config.server.proxies == ["10.0.0.0/8"]
    assert config.server.origins == ["https://a.example", "https://b.example"]
    assert (config.notify.webhooks, config.limits.messages_per_second) == (True, 5.0)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("MANDALIER_SERVER_PUBLICURL", "MANDALIER_SERVER_PUBLIC_URL"),
        ("MANDALIER_SERVER_PROXY", "MANDALIER_SERVER_PROXIES"),
        ("MANDALIER_LIMIT_GUESTS_PER_HOUR", "MANDALIER_LIMITS_GUESTS_PER_HOUR"),
    ],
)
def test_a_slip_in_a_variable_is_told(name: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=f"there is no {name}; {meant} may be meant"):
        read_config(None, {name: "x"})


def test_variables_of_others_are_left_alone() -> None:
    others = ("MANDALIER_CACHE", "MANDALIER_JIT", "MANDALIER_LANG", "MANDALIER_SITE")
    taken = ("MANDALIER_SERVER_SERVICE_HOST", "MANDALIER_SERVER_PORT_8000_TCP_ADDR")  # Kubernetes
    read_config(None, dict.fromkeys((*others, *taken), "x"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[server]\nport = 99999\n", "server.port is a whole number from 0 to 65535, not 99999"),
        ('[server]\nport = "80"\n', "server.port is a whole number from 0 to 65535, not '80'"),
        ("[server]\nport = true\n", "server.port is a whole number"),
        ("[server]\nprot = 80\n", "there is no server.prot; server.port may be meant"),
        ("[serv]\nx = 80\n", "there is no serv.x; sections are server, data"),
        ("[log]\nzzz = 1\n", "there is no log.zzz; there are log.level and log.format"),
        ("port = 80\n", "port stands outside a section"),
        ('[log]\nlevel = "loud"\n', "log.level is "),
        ("[limits]\nmessages_per_second = 0\n", "limits.messages_per_second is a number from 0.1"),
        ("[server]\norigins = [1]\n", "server.origins is a list of texts"),
        ("[server]\norigins = 'x'\n", "server.origins is a list of texts"),
        ("[server]\norigins = ['games.example']\n", "server.origins is an address like https"),
        ("[server]\npublic_url = 'https://a/b'\n", "server.public_url is an address like https"),
        ("[server]\npublic_url = 'https://a:b'\n", "server.public_url is an address like https"),
        ("[server]\nproxies = ['nginx']\n", "server.proxies are addresses or networks"),
        ("[data]\ndatabase = 'mysql://x'\n", "data.database begins with postgresql://"),
        ("[admin]\ntoken = 'short'\n", "admin.token has at least 20 characters"),
        ("[notify]\npush = true\n", "notify.push needs notify.push_contact"),
        ("[notify]\nmail_from = 'a@b'\n", "e-mail needs both"),
        ("[server\n", "mandalier.toml"),
    ],
)
def test_what_cannot_be_is_refused_with_the_name_of_the_entry(
    text: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "mandalier.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_config(file, {})
    assert said in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: No such file"):
        read_config(tmp_path / "gone.toml", {})


def test_a_bad_variable_is_named() -> None:
    with pytest.raises(ConfigError, match=r"MANDALIER_SERVER_PORT: server\.port is a whole number"):
        read_config(None, {"MANDALIER_SERVER_PORT": "eighty"})
    with pytest.raises(ConfigError, match=r"MANDALIER_NOTIFY_PUSH: notify\.push is true or false"):
        read_config(None, {"MANDALIER_NOTIFY_PUSH": "perhaps"})


def test_no_error_tells_a_secret(tmp_path: Path) -> None:
    secret = "hunter2"
    assert {entry.dotted for entry in entries()} >= set(SECRETS)
    for dotted in SECRETS:
        section, name = dotted.split(".")
        file = tmp_path / "mandalier.toml"
        file.write_text(f"[{section}]\n{name} = ['{secret}']\n", encoding="utf-8")
        with pytest.raises(ConfigError) as caught:
            read_config(file, {})
        assert secret not in str(caught.value)


def test_every_entry_says_what_it_is() -> None:
    for entry in entries():
        assert len(entry.about) > 10, entry.dotted
    assert len(documented().splitlines()) == 2 + len(list(entries()))


def test_the_page_for_hosts_lists_the_settings_there_are() -> None:
    page = HOSTING.read_text(encoding="utf-8")
    assert with_settings(page) == page, "make protocol"
    assert documented() in page
