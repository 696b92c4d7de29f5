"""Writes src/atelier_client/shapes.py from ../openapi.json; with --check it fails when the file is out of date."""

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
FILE = HERE / "src/atelier_client/shapes.py"
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
HEAD = '''"""Shapes of the API. Written by scripts/write_shapes.py from ../openapi.json. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union
'''


class Writer:
    def __init__(self) -> None:
        self.classes: dict[str, str] = {}
        self.unions: dict[str, str] = {}

    def schema(self, name: str, schema: dict[str, Any]) -> None:
        """Adds a schema of the document: a class, or a name for a union or another type."""
        if "properties" in schema:
            self.shape(name, schema)
        else:
            self.unions[name] = self.type(name, schema)

    def type(self, name: str, schema: dict[str, Any]) -> str:
        """The type of a value; name is for a class that it may need."""
        if "$ref" in schema:
            return str(schema["$ref"]).rsplit("/", 1)[1]
        if "const" in schema or "enum" in schema:
            return f"Literal[{', '.join(json.dumps(v) for v in schema.get('enum', [schema.get('const')]))}]"
        for key in ("anyOf", "oneOf", "allOf"):
            if key in schema:
                types = list(dict.fromkeys(self.type(name, part) for part in schema[key]))
                if "Any" in types:
                    return "Any"
                return types[0] if len(types) == 1 else f"Union[{', '.join(types)}]"
        if schema.get("type") == "array":
            return f"list[{self.type(name.removesuffix('s'), schema.get('items', {}))}]"
        if "properties" in schema:
            return self.shape(name, schema)
        if schema.get("type") == "object":
            values = schema.get("additionalProperties")
            return f"dict[str, {self.type(name, values) if isinstance(values, dict) else 'Any'}]"
        return PLAIN.get(schema.get("type", ""), "Any")

    def shape(self, name: str, schema: dict[str, Any]) -> str:
        if name in self.classes:
            raise ValueError(f"there are two shapes {name}")
        self.classes[name] = ""  # before those of its members
        lines = [f"class {name}(TypedDict):"]
        if "description" in schema:
            lines.append(f'    """{schema["description"]}"""\n')
        for member, value in schema["properties"].items():
            if not member.isidentifier():
                raise ValueError(f"{name} has the member {member}")
            text = self.type(name + "".join(word[0].upper() + word[1:] for word in member.split("_")), value)
            lines.append(f"    {member}: {text if member in schema.get('required', []) else f'NotRequired[{text}]'}")
        if not schema["properties"]:
            lines.append("    pass")
        self.classes[name] = "\n".join(lines)
        return name

    def text(self) -> str:
        unions = "\n".join(f"{name} = {text}" for name, text in self.unions.items())
        return "\n\n\n".join([HEAD.rstrip(), *self.classes.values(), unions]) + "\n"


def main() -> None:
    writer = Writer()
    document = json.loads((HERE.parent / "openapi.json").read_text())
    for name, schema in document["components"]["schemas"].items():
        writer.schema(name, schema)
    if "--check" not in sys.argv:
        FILE.write_text(writer.text())
    elif FILE.read_text() != writer.text():
        sys.exit("src/atelier_client/shapes.py is out of date: python3 scripts/write_shapes.py")


main()
