"""strawberry: a Relay connection at POST /graphql."""

import sys
from decimal import Decimal
from typing import Iterable, NewType, Optional

import strawberry
from starlette.applications import Starlette
from strawberry.asgi import GraphQL
from strawberry.relay import Connection, ListConnection, Node, NodeID
from strawberry.schema.config import StrawberryConfig

import serving

PORT, ITEMS = int(sys.argv[1]), sys.argv[2]
LISTS = serving.load(ITEMS)

# GraphQL's own Int has 32 bits, and its Float is a double.
Long = NewType("Long", int)
Money = NewType("Money", Decimal)


@strawberry.type
class Item(Node):
    place: NodeID[int]
    code: str
    hour: int
    big: Long
    price: Money
    text: str
    note: Optional[str]
    tags: list[str]


@strawberry.type
class Counted(ListConnection[Item]):
    """A connection that tells its length too."""

    name: strawberry.Private[str] = ""

    @strawberry.field
    def total_count(self) -> int:
        return len(LISTS[self.name])

    @classmethod
    def resolve_connection(cls, nodes, *, info, **arguments):
        connection = super().resolve_connection(nodes, info=info, **arguments)
        connection.name = info.variable_values["list"]
        return connection


def item(place, fields):
    fields = dict(fields)
    return Item(place=place, code=fields.pop("id"), **fields)


@strawberry.type
class Query:
    @strawberry.relay.connection(Counted)
    def items(self, list: str) -> Iterable[Item]:
        return [item(place, fields) for place, fields in enumerate(LISTS[list])]


class Application(GraphQL):
    def encode_json(self, data):
        return serving.dump(data).decode()


def scalar(name):
    return strawberry.scalar(name=name, serialize=lambda value: value)


schema = strawberry.Schema(
    Query, config=StrawberryConfig(scalar_map={Long: scalar("Long"), Money: scalar("Money")})
)
app = Starlette()
app.mount("/graphql", Application(schema))

if __name__ == "__main__":
    serving.serve(app, PORT)
