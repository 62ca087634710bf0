"""firebase-admin for Python, unmodified: every order, streams, overrides, and transactions of several processes."""

import collections
import concurrent.futures
import multiprocessing
import queue
import threading
import time

import firebase_admin
import pytest
from firebase_admin import credentials, db, exceptions
from waits import WAIT_SECONDS, until

RULES = """{ "rules": {
  "zoo": { ".read": "auth.uid == 'keeper'", ".write": "auth.uid == 'keeper'", ".indexOn": ["legs", "home/zone", ".value"] },
  "open": { ".read": true, ".write": true }
} }"""

# In the order of "legs": null, false, true, numbers, strings, objects; equal values by key.
ZOO = {
    "2": {"name": "no legs told"}, "10": {"name": "neither"}, "ant": {"legs": False}, "bee": {"legs": True},
    "cat": {"legs": -1.5}, "dog": {"legs": 4}, "eel": {"legs": 4}, "fly": {"legs": 6, "home": {"zone": "a"}},
    "gnu": {"legs": "four"}, "hen": {"legs": "two", "home": {"zone": "b"}}, "imp": {"legs": {"left": 1}},
}
PROCESSES, ADDITIONS, THREADS = 8, 12, 50


@pytest.fixture
def server(serve):
    return serve("--emulator", command="dev", rules=RULES)


@pytest.fixture
def connect(server):
    """Makes apps that are deleted at the end of the test."""
    apps = []

    def make(**options):
        url = f"{server.url}?ns=default"
        app = firebase_admin.initialize_app(
            credentials.Base(), {"databaseURL": url, **options}, name=f"app {len(apps)}")
        apps.append(app)
        return app

    yield make
    for app in apps:
        firebase_admin.delete_app(app)


def test_every_order_and_bound(connect):
    zoo = db.reference("zoo", connect())
    zoo.set(ZOO)
    keys = list(ZOO)

    def found(query):
        return list(query.get() or ())

    def legs():
        return zoo.order_by_child("legs")

    # The SDK sorts the result again, and compares keys as strings.
    assert found(legs()) == ["10", "2", *keys[2:]]
    assert set(found(legs().limit_to_first(2))) == {"2", "10"}
    assert found(legs().limit_to_last(3)) == ["gnu", "hen", "imp"]
    assert found(legs().start_at(4).end_at(6)) == ["dog", "eel", "fly"]
    assert found(legs().start_at(4).limit_to_first(1)) == ["dog"]
    assert found(legs().end_at(4).limit_to_last(1)) == ["eel"]
    assert found(legs().equal_to(True)) == ["bee"] and found(legs().equal_to(False)) == ["ant"]
    assert found(legs().start_at("g")) == ["hen", "imp"]
    assert found(legs().equal_to("four")) == ["gnu"]
    assert found(legs().start_at(7).end_at(9)) == []
    assert found(zoo.order_by_child("home/zone").equal_to("a")) == ["fly"]
    assert found(zoo.order_by_child("home/zone").start_at("a")) == ["fly", "hen"]
    # Keys that are integers come first, in numeric order.
    assert set(found(zoo.order_by_key().limit_to_first(2))) == {"2", "10"}
    assert found(zoo.order_by_key().limit_to_first(1)) == ["2"]
    assert found(zoo.order_by_key().start_at("c").end_at("e")) == ["cat", "dog"]
    assert found(zoo.order_by_key().equal_to("gnu")) == ["gnu"]
    assert found(zoo.order_by_key().limit_to_last(2)) == ["hen", "imp"]
    zoo.set({"ann": 3, "bob": "x", "cy": 1, "dan": True, "eve": 3})
    assert found(zoo.order_by_value()) == ["dan", "cy", "ann", "eve", "bob"]
    assert found(zoo.order_by_value().start_at(2).end_at(3)) == ["ann", "eve"]
    assert found(zoo.order_by_value().equal_to(3).limit_to_last(1)) == ["eve"]
    assert zoo.get(shallow=True) == dict.fromkeys(["ann", "bob", "cy", "dan", "eve"], True)
    assert zoo.child("cy").get(shallow=True) == 1
    zoo.delete()
    assert not zoo.order_by_value().limit_to_first(1).get() and zoo.get(shallow=True) is None


Seen = collections.namedtuple("Seen", ["type", "path", "data"])


class Listener:
    """One event stream of the SDK; `expect` asserts the next event."""

    def __init__(self, reference):
        self.events = queue.Queue()
        self.reference = reference
        self.registration = reference.listen(
            lambda event: self.events.put(Seen(event.event_type, event.path, event.data)))

    def expect(self, *event):
        assert self.events.get(timeout=WAIT_SECONDS) == event

    def close(self, wake):
        """Ends the stream by another write: the SDK's own `close` waits for the next byte."""
        closing = threading.Thread(target=self.registration.close)
        closing.start()

        def is_closed():
            wake()
            closing.join(0.1)
            return not closing.is_alive()

        until(is_closed, "the listener's end")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_stream_tells_puts_patches_and_deletions_and_comes_back(server, connect):
    place = db.reference("open/room", connect())
    listener = Listener(place)
    listener.expect("put", "/", None)
    place.set({"name": "Grüße 🐝", "n": 1})
    listener.expect("put", "/", {"name": "Grüße 🐝", "n": 1})
    place.child("n").set(2)
    listener.expect("put", "/n", 2)
    place.update({"n": 3, "a/b": True, "name": None})
    listener.expect("patch", "/", {"n": 3, "a/b": True, "name": None})
    place.child("a").update({"c": [1, 2]})
    listener.expect("patch", "/a", {"c": [1, 2]})
    key = place.child("log").push("hi").key
    listener.expect("put", f"/log/{key}", "hi")
    assert place.child("n").transaction(lambda now: now + 4) == 7
    listener.expect("put", "/n", 7)
    place.child("a").delete()
    listener.expect("put", "/a", None)
    # The client reconnects to the same address by itself and receives all data again.
    server.keep_port()
    server.kill()
    server.start()
    listener.expect("put", "/", {"n": 7, "log": {key: "hi"}})
    place.delete()
    listener.expect("put", "/", None)
    counter = iter(range(1000))
    listener.close(lambda: place.set(next(counter) + 1))
    while not listener.events.empty():
        listener.events.get()
    place.set("after the end")
    time.sleep(0.2)
    assert listener.events.empty()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_overrides_decide_reads_writes_and_streams(connect):
    owner = db.reference("zoo", connect())
    owner.set({"dog": {"legs": 4}})
    keeper = db.reference("zoo", connect(databaseAuthVariableOverride={"uid": "keeper"}))
    assert keeper.get() == {"dog": {"legs": 4}} and keeper.get(shallow=True) == {"dog": True}
    assert keeper.order_by_child("legs").equal_to(4).get() == {"dog": {"legs": 4}}
    assert keeper.child("dog/legs").transaction(lambda now: now + 1) == 5
    keeper.update({"cat/legs": 4})
    listener = Listener(keeper)
    listener.expect("put", "/", {"cat": {"legs": 4}, "dog": {"legs": 5}})
    owner.child("cat").delete()
    listener.expect("put", "/cat", None)
    with pytest.raises(exceptions.UnauthenticatedError):
        keeper.parent.child("elsewhere").get()
    for override in ({"uid": "visitor"}, {"uid": "visitor", "token": {"role": "keeper"}}, {}, None):
        other = db.reference("zoo", connect(databaseAuthVariableOverride=override))
        if override == {}:
            # The SDK treats an empty object like no override.
            assert other.get() == {"dog": {"legs": 5}}
            continue
        for denied in (
            other.get, lambda: other.get(shallow=True), lambda: other.get(etag=True), lambda: other.set(1),
            lambda: other.update({"a": 1}), lambda: other.push(1), other.delete,
            lambda: other.set_if_unchanged("x", 1), lambda: other.transaction(lambda now: 1),
            lambda: other.listen(print), other.order_by_key().limit_to_first(1).get,
        ):
            with pytest.raises(exceptions.UnauthenticatedError) as refused:
                denied()
            assert "Permission denied" in str(refused.value)
        place = other.parent.child("open/x")
        place.set(1)
        assert place.get() == 1
    assert owner.get() == {"dog": {"legs": 5}}
    counter = iter(range(1000))
    listener.close(lambda: owner.child("n").set(next(counter)))


def test_conditional_requests_compare_etags(connect):
    place = db.reference("open/doc", connect())
    value, etag = place.get(etag=True)
    assert value is None
    assert place.get_if_changed(etag) == (False, None, None)
    done, value, first = place.set_if_unchanged(etag, {"n": 1})
    assert (done, value) == (True, {"n": 1})
    assert place.get(etag=True) == ({"n": 1}, first)
    # An entity tag depends on the data, not on the time of the write.
    place.set({"n": 2})
    changed, value, second = place.get_if_changed(first)
    assert (changed, value) == (True, {"n": 2}) and second != first
    assert place.set_if_unchanged(first, {"n": 9}) == (False, {"n": 2}, second)
    place.set({"n": 1})
    assert place.get_if_changed(first) == (False, None, None)
    assert place.child("n").get_if_changed(first)[0] is True
    assert place.set_if_unchanged(first, {"n": 3})[0] is True
    with pytest.raises(ValueError, match="Value must not be none"):
        place.set_if_unchanged(first, None)


def add(url, ready, start, outcome):
    """Runs in one of the processes. The SDK gives up after 25 attempts."""
    app = firebase_admin.initialize_app(credentials.Base(), {"databaseURL": url}, name="child")
    counter = db.reference("open/counter", app)
    tries = lost = 0

    def one_more(now):
        nonlocal tries
        tries += 1
        return {"sum": now["sum"] + 1} if now else {"sum": 1}

    ready.release()
    start.wait(WAIT_SECONDS)
    for _ in range(ADDITIONS):
        try:
            counter.transaction(one_more)
        except db.TransactionAbortedError:
            lost += 1
    outcome.put((tries, lost))


def test_transactions_of_several_processes_lose_nothing(server, connect):
    # Forked, so that the SDK is not loaded again in each process.
    context = multiprocessing.get_context("fork")
    ready, start, outcome = context.Semaphore(0), context.Event(), context.Queue()
    processes = [
        context.Process(target=add, args=(f"{server.url}?ns=default", ready, start, outcome)) for _ in range(PROCESSES)]
    try:
        for process in processes:
            process.start()
        for _ in processes:
            assert ready.acquire(timeout=WAIT_SECONDS)
        start.set()
        counted = [outcome.get(timeout=2 * WAIT_SECONDS) for _ in processes]
        for process in processes:
            process.join(WAIT_SECONDS)
            assert process.exitcode == 0
    finally:
        for process in processes:
            process.kill()
    assert db.reference("open/counter", connect()).get() == {"sum": PROCESSES * ADDITIONS}
    tries, lost = (sum(column) for column in zip(*counted))
    assert lost == 0 and tries <= 3 * PROCESSES * ADDITIONS, counted


def test_transactions_of_many_threads_need_few_tries(connect):
    """Many threads increment one counter at once. All succeed, and each within a few attempts."""
    app = connect(httpTimeout=2 * WAIT_SECONDS)
    counter, tries = db.reference("open/visits", app), collections.Counter()

    def visit(number):
        def one_more(now):
            tries[number] += 1
            return (now or 0) + 1

        return counter.transaction(one_more)

    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        reached = list(pool.map(visit, range(2 * THREADS)))
    assert sorted(reached) == list(range(1, 2 * THREADS + 1)) and counter.get() == 2 * THREADS
    assert sum(tries.values()) <= 3 * 2 * THREADS and max(tries.values()) <= 10, tries
