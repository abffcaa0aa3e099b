"""Django REST Framework: /page/LIST/ by page number, /limit/LIST/ by limit and offset, /cursor/LIST/ by opaque cursor."""

import os
import sys

import django
from django.conf import settings

import serving

PORT, ITEMS = int(sys.argv[1]), sys.argv[2]
DATABASE = os.path.join(os.path.dirname(ITEMS), "django.sqlite3")

settings.configure(
    SECRET_KEY="not a secret",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["rest_framework"],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATABASE}},
    REST_FRAMEWORK={
        "UNAUTHENTICATED_USER": None,
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "COERCE_DECIMAL_TO_STRING": False,
    },
)
django.setup()

from django.core.asgi import get_asgi_application
from django.db import connection, models
from django.urls import path
from rest_framework import generics, pagination, renderers, serializers


class Renderer(renderers.BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return serving.dump(data)


class Item(models.Model):
    list = models.CharField(max_length=16)
    place = models.IntegerField()
    code = models.CharField(max_length=32)
    hour = models.IntegerField()
    big = models.BigIntegerField()
    price = models.DecimalField(max_digits=12, decimal_places=2)
    text = models.TextField()
    note = models.TextField(null=True)
    tags = models.JSONField()

    class Meta:
        app_label = "upstream"


class ItemSerializer(serializers.ModelSerializer):
    id = serializers.CharField(source="code")

    class Meta:
        model = Item
        fields = ["id", "hour", "big", "price", "text", "note", "tags"]


class ByPage(pagination.PageNumberPagination):
    page_size = 10
    page_size_query_param = "page_size"


class ByLimit(pagination.LimitOffsetPagination):
    default_limit = 10


class ByCursor(pagination.CursorPagination):
    page_size = 10
    page_size_query_param = "page_size"
    ordering = ("hour", "place")  # several items share an hour: the cursor needs an offset within it


def view(paginator):
    class View(generics.ListAPIView):
        serializer_class = ItemSerializer
        renderer_classes = [Renderer]
        pagination_class = paginator

        def get_queryset(self):
            return Item.objects.filter(list=self.kwargs["name"]).order_by("place")

    return View.as_view()


urlpatterns = [
    path("page/<str:name>/", view(ByPage)),
    path("limit/<str:name>/", view(ByLimit)),
    path("cursor/<str:name>/", view(ByCursor)),
]

if __name__ == "__main__":
    with connection.schema_editor() as schema:
        schema.create_model(Item)
    for name, items in serving.load(ITEMS).items():
        Item.objects.bulk_create(
            Item(list=name, place=place, code=item.pop("id"), **item) for place, item in enumerate(items)
        )
    connection.close()
    serving.serve(get_asgi_application(), PORT)
