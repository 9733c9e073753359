"""A quick way into the commands: FastAPI documents them, but does not take every request apart in its general way.

That general way costs more than deciding and recording a play together. Here the parameters that commands share are read by hand; their
names and types are those of the endpoint, so OpenAPI stays true.
"""

import inspect
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError

from services.problems import invalid, malformed
from services.tables.service import Service


class CommandRoute(APIRoute):
    """A route whose endpoint takes some of service, caller, body, key, match and what its path names, and gives a response."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler that reads just these."""
        endpoint: Callable[..., Coroutine[Any, Any, Response]] = self.endpoint
        parameters = inspect.signature(endpoint, eval_str=True).parameters
        body: type[BaseModel] | None = parameters["body"].annotation if "body" in parameters else None
        matches = "match" in parameters

        async def handle(request: Request) -> Response:
            service: Service = request.app.state.service
            headers = request.headers
            given: dict[str, Any] = {
                "service": service,
                "caller": service.tokens.caller(headers.get("authorization")),
                "key": headers.get("idempotency-key"),
                **request.path_params,
            }
            if matches:
                given["match"] = headers.get("if-match")
            if body is not None:
                given["body"] = read(body, await request.body())
            return await endpoint(**given)

        return handle


def read(model: type[BaseModel], body: bytes) -> BaseModel:
    """A body as its model; no body at all is one where nothing has to be said. Raises a 400 problem that names what is wrong with it."""
    optional = not any(field.is_required() for field in model.model_fields.values())
    try:
        return model.model_validate_json(body or (b"{}" if optional else b"null"))
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        if found[0]["type"] == "json_invalid":
            raise malformed(found[0]["msg"]) from None
        raise invalid([{**each, "loc": ("body", *each["loc"])} for each in found]) from None
