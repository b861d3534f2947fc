#!/usr/bin/env python3
"""Make the secrets that compose.yaml mounts: keys, passwords, and the store's access list.

`deploy/make_secrets.py [folder]`, by default `deploy/secrets`. A folder that is there is
left as it is: whoever loses the keys in it loses the tokens of all games.
"""

import re
import secrets
import sys
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).resolve().parent
STORE = "redis:6379/0"
USERS = ("events", "archive", "push", "work", "webhooks", "operator")


def main(folder: Path) -> int:
    """Fill *folder*, which must not be there yet; return the exit code."""
    try:
        # Others on this machine are kept out by the folder: the users inside the containers,
        # who have other numbers, must be able to read the files.
        folder.mkdir(mode=0o700)
    except OSError as exc:
        print(f"{folder}: {exc.strerror}; nothing was changed", file=sys.stderr)
        return 1
    passwords = {user: secrets.token_urlsafe(32) for user in USERS}
    for name, text in contents(passwords).items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o444)
    print(f"made {folder}; put tls_certificate.pem and tls_key.pem there, and keep a copy")
    return 0


def contents(passwords: dict[str, str]) -> dict[str, str]:
    """Return the text of each file by its name."""
    lines = (HERE / "users.acl").read_text().splitlines()
    rules = "\n".join(line for line in lines if line.startswith("user "))
    return {
        "secret_keys": secrets.token_hex(32) + "\n",
        "users.acl": re.sub("<(.*?)>", lambda found: hashed(passwords[found[1]]), rules) + "\n",
        "events_url": url("events", passwords),
        "archive_url": url("archive", passwords),
        "queue_url_api": url("push", passwords),
        "queue_url_worker": url("work", passwords),
        "webhooks_url": url("webhooks", passwords),
        "operator_password": passwords["operator"] + "\n",
    }


def hashed(password: str) -> str:
    """Return *password* as an access list holds it."""
    return sha256(password.encode()).hexdigest()


def url(user: str, passwords: dict[str, str]) -> str:
    """Return the address of the store for *user*."""
    return f"redis://hearts_{user}:{passwords[user]}@{STORE}\n"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else HERE / "secrets"))
