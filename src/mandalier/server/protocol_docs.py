"""The protocol as documents, made from its declarations: Markdown, OpenAPI, TypeScript.

`make protocol` writes docs/protocol.md and web/src/protocol.ts.
"""

from __future__ import annotations

import argparse
import inspect
import itertools
import json
import sys
import types
import typing
from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from mandalier.server import protocol as p
from mandalier.server import protocol_stage as stage

SHARED: tuple[type[msgspec.Struct], ...] = (
    p.TableInfo,
    p.TableConfig,
    p.ClockRule,
    p.SeatInfo,
    p.Offer,
    p.Outcome,
    p.Clocks,
    p.LogLine,
    p.LegalMove,
    p.PlainView,
    p.PictureView,
    p.Part,
    p.Gained,
    p.Sum,
    p.SumsData,
    p.RecallData,
    stage.Stage,
    stage.Tile,
    stage.Paint,
    stage.Die,
    stage.DieLook,
    stage.Throw,
    stage.Gauge,
    stage.Carry,
    stage.Motion,
)


def messages(union: Any) -> tuple[type[msgspec.Struct], ...]:
    return get_args(union)


def _doc(struct: type[msgspec.Struct]) -> str:
    return " ".join((struct.__dict__.get("__doc__") or "").split())


def _tag(struct: type[msgspec.Struct]) -> str | None:
    config = struct.__struct_config__
    return str(config.tag) if config.tag is not None else None


def field_notes(struct: type[msgspec.Struct]) -> dict[str, str]:
    """What is said of each field: in its type, or in the text below it."""
    notes: dict[str, str] = {}
    for base in reversed(struct.__mro__):
        if not (isinstance(base, type) and issubclass(base, msgspec.Struct)):
            continue
        if base is msgspec.Struct:
            continue
        hints = typing.get_type_hints(base, include_extras=True)
        for name in inspect.get_annotations(base):
            notes[name] = _description(hints[name])
        notes.update(_texts_below(base))
    return {name: notes.get(name, "") for name in struct.__struct_fields__}


def _texts_below(struct: type) -> dict[str, str]:
    import ast
    import textwrap

    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(struct)))
    except (OSError, TypeError):
        return {}
    found = {}
    body = tree.body[0].body  # type: ignore[attr-defined]
    for line, below in itertools.pairwise(body):
        if (
            isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
        ):
            found[line.target.id] = " ".join(str(below.value.value).split())
    return found


def _description(kind: Any) -> str:
    if get_origin(kind) is Annotated:
        for meta in kind.__metadata__:
            if isinstance(meta, msgspec.Meta) and meta.description:
                return meta.description
        return _description(kind.__origin__)
    if get_origin(kind) in (typing.Union, types.UnionType):
        return next((text for part in get_args(kind) if (text := _description(part))), "")
    return ""


# TypeScript ------------------------------------------------------------------------------------

PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def ts_type(kind: Any) -> str:
    """A type as TypeScript writes it."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in PLAIN:
        return PLAIN[kind]
    if kind is msgspec.Raw:
        return ""
    if kind is Any:
        return "unknown"
    if origin is Annotated:
        return ts_type(kind.__origin__)
    if origin is Literal:
        return " | ".join(json.dumps(value) for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(filter(None, map(ts_type, arguments))))
    if origin is tuple:
        return (
            f"[{', '.join(map(ts_type, arguments))}]"
            if ... not in arguments
            else f"({ts_type(arguments[0])})[]"
        )
    if origin is list:
        inner = ts_type(arguments[0])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if origin is dict:
        return f"Record<{ts_type(arguments[0])}, {ts_type(arguments[1])}>"
    if isinstance(kind, type):
        return _ts_name(kind)
    raise TypeError(f"no TypeScript for {kind!r}")


def _ts_name(struct: type) -> str:
    return struct.__name__


def typescript() -> str:
    """The client's types."""
    out = [
        "// Made from src/mandalier/server/protocol.py by `make protocol`. Do not edit.",
        "",
        f"export const VERSION = {p.VERSION};",
        "",
    ]
    to_server, to_client = messages(p.ClientMessage), messages(p.ServerMessage)
    bodies = _bodies()
    asked = {*to_server, *(route.body for route in _routes()), p.TableConfig, p.ClockRule}
    for struct in (*SHARED, *to_server, *to_client, *bodies):
        out += _ts_interface(struct, optional=struct in asked)
    out.append(f"export type ToServer = {' | '.join(map(_ts_name, to_server))};")
    out.append(f"export type ToClient = {' | '.join(map(_ts_name, to_client))};")
    codes = " | ".join(f'"{code}"' for code in p.REFUSALS)
    out.append(f"export type RefusalCode = {codes};")
    return "\n".join(out) + "\n"


def _routes() -> list[Any]:
    """The routes of the HTTP interface that are for pages."""
    import mandalier.server.protocol_text as text

    return [route for route in text.ROUTES if not route.admin]


def _bodies() -> tuple[type[msgspec.Struct], ...]:
    """What the HTTP interface takes and gives, each struct after those in it."""
    found: list[type[msgspec.Struct]] = []
    known = {*SHARED, *messages(p.ClientMessage), *messages(p.ServerMessage)}

    def look_at(kind: Any) -> None:
        for part in get_args(kind):
            look_at(part)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind not in known:
            known.add(kind)
            for hint in typing.get_type_hints(kind).values():
                look_at(hint)
            found.append(kind)

    for route in _routes():
        look_at(route.body)
        look_at(route.answer)
    look_at(p.ProblemOut)
    return tuple(found)


def _ts_interface(struct: type[msgspec.Struct], optional: bool) -> list[str]:
    said = _doc(struct)
    lines = [f"/** {said} */"] if said else []
    lines.append(f"export interface {_ts_name(struct)} {{")
    if (tag := _tag(struct)) is not None:
        lines.append(f'  {struct.__struct_config__.tag_field}: "{tag}";')
    hints = typing.get_type_hints(struct, include_extras=True)
    notes = field_notes(struct)
    for field in msgspec.structs.fields(struct):
        if notes[field.name]:
            lines.append(f"  /** {notes[field.name]} */")
        mark = "?" if optional and not field.required else ""
        lines.append(f"  {field.encode_name}{mark}: {ts_type(hints[field.name])};")
    return [*lines, "}", ""]


# Markdown --------------------------------------------------------------------------------------


def markdown() -> str:
    """docs/protocol.md."""
    import mandalier.server.protocol_text as text

    return "\n".join(
        [
            text.OPENING.rstrip(),
            "",
            "## What a client sends",
            "",
            *_chapters(messages(p.ClientMessage)),
            "## What the server sends",
            "",
            *_chapters(messages(p.ServerMessage)),
            "## Parts of messages",
            "",
            *_chapters(SHARED),
            "## Refusals",
            "",
            "| code | why |",
            "|---|---|",
            *(f"| `{code}` | {why} |" for code, why in p.REFUSALS.items()),
            "",
            "## Codes a socket is closed with",
            "",
            "| code | why |",
            "|---|---|",
            *(f"| {code} | {why} |" for code, why in p.CLOSE_CODES.items()),
            "",
            "## The HTTP interface",
            "",
            text.HTTP.strip(),
            "",
            "| method | path | body | answer | what |",
            "|---|---|---|---|---|",
            *map(_http_row, text.ROUTES),
            "",
        ]
    )


def _http_row(route: Any) -> str:
    body = f"`{route.body.__name__}`" if isinstance(route.body, type) else ""
    body = body or ("a message" if route.body else "")
    answer = f"`{route.answer.__name__}`" if route.answer else route.media
    return f"| {route.method} | `{route.path}` | {body} | {answer} | {route.what} |"


def _chapters(structs: Sequence[type[msgspec.Struct]]) -> list[str]:
    return [line for struct in structs for line in _chapter(struct)]


def _chapter(struct: type[msgspec.Struct]) -> list[str]:
    tag = _tag(struct)
    name = f"`{tag}`" if tag and struct not in SHARED else struct.__name__
    lines = [f"### {name}", "", _doc(struct), ""]
    fields = msgspec.structs.fields(struct)
    if fields:
        hints = typing.get_type_hints(struct, include_extras=True)
        notes = field_notes(struct)
        lines += ["| field | type | default | |", "|---|---|---|---|"]
        for field in fields:
            kind = ts_type(hints[field.name]).replace("|", "\\|")
            note = notes[field.name]
            lines.append(f"| `{field.encode_name}` | {kind} | {_default(field)} | {note} |")
        lines.append("")
    return lines


def _default(field: Any) -> str:
    if field.default is not msgspec.NODEFAULT:
        default = field.default
    elif field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    else:
        return ""
    return f"`{msgspec.json.encode(default).decode()}`"


# OpenAPI ---------------------------------------------------------------------------------------


def openapi() -> dict[str, Any]:
    """The HTTP interface as an OpenAPI document."""
    import mandalier.server.protocol_text as text
    from mandalier import __version__

    kinds: list[Any] = [p.ProblemOut]
    for route in text.ROUTES:
        kinds += [kind for kind in (route.body, route.answer) if kind]
    kinds = list(dict.fromkeys(kinds))
    schemas, components = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    schema_of = dict(zip(kinds, schemas, strict=True))
    paths: dict[str, Any] = {}
    for route in text.ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Mandalier",
            "version": __version__,
            "description": "Tables, seats, records and results. What is live goes over /api/v1/live.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "admin": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "mandalier"},
            },
        },
    }


def _operation(route: Any, schema_of: dict[Any, Any]) -> dict[str, Any]:
    problem: dict[str, Any] = {"application/json": {"schema": schema_of[p.ProblemOut]}}
    if route.media == "text/html":
        problem["text/html"] = {}
    media = {"schema": schema_of[route.answer]} if route.answer else {}
    made: dict[str, Any] = {
        "summary": route.what,
        "operationId": route.name,
        "responses": {
            str(route.status): {
                "description": "as asked",
                "content": {route.media: media},
            },
            "4XX": {"description": "refused: a code and the reason", "content": problem},
            "5XX": {"description": "cannot be done at the moment", "content": problem},
        },
        "parameters": [
            *(
                {
                    "name": name,
                    "in": "path",
                    "required": True,
                    "schema": {"type": "string", "minLength": 1, "maxLength": 32},
                }
                for name in route.in_path
            ),
            *(
                {"name": name, "in": "query", "schema": schema}
                for name, schema in route.query.items()
            ),
        ],
    }
    if route.admin:
        made["security"] = [{"admin": []}]
    if route.known:
        made["security"] = [{"token": []}, {"cookie": []}]
    if route.body:
        made["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema_of[route.body]}},
        }
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Write the protocol as a document.")
    group = parser.add_mutually_exclusive_group(required=True)
    for name in ("markdown", "typescript", "openapi"):
        group.add_argument(f"--{name}", action="store_true")
    asked = parser.parse_args(arguments)
    if asked.markdown:
        sys.stdout.write(markdown())
    elif asked.typescript:
        sys.stdout.write(typescript())
    else:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(openapi())).decode() + "\n")


if __name__ == "__main__":
    main()
