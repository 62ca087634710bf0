"""Cloud Functions as written for Firebase, without any knowledge of Hearth. Each records its arguments in a file."""

import json
import os

import functions_framework
from firebase_functions import db_fn


def note(kind, event, before, after):
    with open(os.environ["SEEN"], "a", encoding="utf-8") as file:
        line = {
            "kind": kind, "id": event.id, "params": dict(event.params), "before": before, "after": after,
            "type": event.type, "time": event.time.isoformat(), "instance": event.instance,
            "reference": event.reference, "auth": [event.auth_type, event.auth_id]}
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


@db_fn.on_value_written(reference="/rooms/{room}/messages/{message}")
def written(event: db_fn.Event[db_fn.Change]) -> None:
    note("written", event, event.data.before, event.data.after)


@db_fn.on_value_created(reference="/rooms/{room}/messages/{message}")
def created(event: db_fn.Event) -> None:
    note("created", event, None, event.data)


@db_fn.on_value_updated(reference="/rooms/{room}/messages/{message}")
def updated(event: db_fn.Event[db_fn.Change]) -> None:
    note("updated", event, event.data.before, event.data.after)


@db_fn.on_value_deleted(reference="/rooms/{room}/messages/{message}")
def deleted(event: db_fn.Event) -> None:
    note("deleted", event, event.data, None)


def user_event(data, context):
    """A function of the first generation, as the functions framework calls it."""
    with open(os.environ["SEEN"], "a", encoding="utf-8") as file:
        line = {"id": context.event_id, "type": context.event_type, "time": context.timestamp,
                "resource": context.resource, "data": data}
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


@functions_framework.cloud_event
def user_cloud_event(event):
    with open(os.environ["SEEN"], "a", encoding="utf-8") as file:
        line = {"id": event["id"], "type": event["type"], "time": event["time"], "source": event["source"],
                "subject": event["subject"], "data": event.data}
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
