"""Talks to the table service the way any program outside would: HTTP, bearer tokens, problem details."""

from pathlib import Path
from typing import Any, Final, Self

import httpx
from pydantic import BaseModel, ValidationError

from schemas.text import printable
from services.settings import Settings

CREDENTIALS: Final = "credentials.json"
"""The file in the data folder in which `up` leaves addresses and tokens, for its owner only."""


class PublicStream(BaseModel):
    """The public stream on NATS, for whoever consumes it: where it is, its name and subjects, and who may read it."""

    url: str
    stream: str
    subjects: str
    user: str
    password: str


class Credentials(BaseModel):
    """Where the services of an installation are, and tokens for whoever owns its data folder."""

    url: str
    spectate: str
    operator: str
    auditor: str
    adjudicator: str | None = None
    public: PublicStream | None = None


class Failed(Exception):
    """The service said no, or is not there. The message says what, where and what to do; `problem` is its answer, if it gave one."""

    def __init__(self, message: str, problem: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.problem = problem or {}


def find(settings: Settings, role: str) -> tuple[str, str | None]:
    """Address and token: what was given, else what `up` left in the data folder. Raises Failed when neither is there."""
    path = settings.data / CREDENTIALS
    left = _left(path) if path.exists() else None
    url = settings.url or (left.url if left else None)
    if url is None:
        raise Failed(
            f"No service is known: there is no {path}. Start one with `shuangkou up`, or name one with --url. 找不到服务。"
        )
    own = left is not None and url.rstrip("/") == left.url
    return url.rstrip("/"), settings.token or (getattr(left, role) if own else None)


def _left(path: Path) -> Credentials:
    """What `up` left there. Raises Failed for anything else."""
    try:
        return Credentials.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "JSON"
        raise Failed(
            f"{path}: this is not what `shuangkou up` leaves there: {where}: {first['msg']}. "
            "Start `up` again, or name another folder with --data. 凭据文件已损坏。"
        ) from None


class Client:
    """A session with a table service. `role` says which token of the data folder to use when none is given."""

    def __init__(self, settings: Settings, role: str = "operator") -> None:
        self.url, token = find(settings, role)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            self._http = httpx.Client(base_url=self.url, headers=headers, timeout=30)
        except httpx.InvalidURL as error:
            raise Failed(f"--url, SHUANGKOU_URL: {self.url!r} is no address: {error}. 服务地址无效。") from None
        except UnicodeEncodeError:
            raise Failed("--token, SHUANGKOU_TOKEN: a token is of ASCII characters only. 令牌无效。") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, **params: Any) -> Any:
        """GET as JSON. Raises Failed."""
        return self.answer(path, **params).json()

    def post(self, path: str, body: Any) -> Any:
        """POST as JSON, the answer too. Raises Failed."""
        return self._ask("POST", path, json=body).json()

    def answer(self, path: str, **params: Any) -> httpx.Response:
        """GET, whatever comes. Raises Failed."""
        wanted = {name.rstrip("_"): value for name, value in params.items() if value is not None}
        return self._ask("GET", path, params=wanted)

    def _ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        try:
            response = self._http.request(method, path, **more)
        except httpx.HTTPError as error:
            raise Failed(
                f"{self.url} does not answer ({error}). Is `shuangkou up` running there? 服务没有响应。"
            ) from None
        return checked(response)


def checked(response: httpx.Response) -> httpx.Response:
    """The response, unless it is a problem. Raises Failed with what the problem says."""
    if response.is_success:
        return response
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    if not isinstance(problem, dict) or "title" not in problem:
        raise Failed(f"{response.request.url} answered {response.status_code}, not as a table service would.")
    words = " ".join(str(problem[name]) for name in ("detail", "detail_zh") if problem.get(name))
    clause = f" [{problem['clause']}]" if problem.get("clause") else ""
    raise Failed(
        printable(f"{words or problem['title']}{clause} ({problem.get('rule', response.status_code)})"), problem
    )


def credentials_path(data: Path) -> Path:
    """Where `up` leaves the credentials."""
    return data / CREDENTIALS
