"""fastapi-pagination: /page/LIST, /limit/LIST, and /cursor/LIST, whose token comes percent-encoded."""

import os
import sys
from typing import Optional

from fastapi import Depends, FastAPI
from fastapi_pagination import LimitOffsetPage, Page, add_pagination
from fastapi_pagination.cursor import CursorPage
from fastapi_pagination.ext.sqlalchemy import paginate
from pydantic import BaseModel, ConfigDict
from sqlalchemy import JSON, BigInteger, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import serving

PORT, ITEMS = int(sys.argv[1]), sys.argv[2]
engine = create_engine(f"sqlite:///{os.path.dirname(ITEMS)}/fastapi.sqlite3")


class Base(DeclarativeBase):
    pass


class Row(Base):
    __tablename__ = "item"
    row: Mapped[int] = mapped_column(primary_key=True)
    list: Mapped[str] = mapped_column(index=True)
    id: Mapped[str]
    hour: Mapped[int]
    big: Mapped[int] = mapped_column(BigInteger)
    price: Mapped[str]
    text: Mapped[str]
    note: Mapped[Optional[str]]
    tags: Mapped[object] = mapped_column(JSON)


class Item(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: str
    hour: int
    big: int
    price: str  # money as text, as many do
    text: str
    note: Optional[str]
    tags: list[str]


def session():
    with Session(engine) as opened:
        yield opened


app = FastAPI()


def route(kind, page):
    @app.get(f"/{kind}/{{name}}", response_model=page[Item])
    def listing(name: str, opened: Session = Depends(session)):
        return paginate(opened, select(Row).where(Row.list == name).order_by(Row.hour, Row.row))


route("page", Page)
route("limit", LimitOffsetPage)
route("cursor", CursorPage)
add_pagination(app)

if __name__ == "__main__":
    Base.metadata.create_all(engine)
    with Session(engine) as opened:
        for name, items in serving.load(ITEMS, parse_float=str).items():
            opened.add_all(Row(list=name, **item) for item in items)
            opened.flush()
        opened.commit()
    serving.serve(app, PORT)
