"""No client receives a commit at or after the commit that revoked its permission, while members, rules and users change.

One client writes a counter into rooms, many commits to a batch; sockets, tagged queries, event streams and long polls follow it.
Meanwhile members are removed (by writes that also count), rules are deployed, and users disabled. The receipts have the position of
each revocation, and the test compares it with the data that every client received."""

import json
import os
import random
import threading
import time

import requests
from client import Client, stream_lines
from identity import Identity
from test_receipts import LongPoll
from waits import WAIT_SECONDS, until

USERS, ROOMS, WRITES, UNANSWERED_MAX = 6, 4, 1200, 32
QUERIES = [{"i": ".key", "l": 5, "vf": "r"}, {"i": "n", "l": 3, "vf": "r"}]


def rules(closed=()):
    """Rules that let members read rooms, and no client the closed rooms."""
    member = "auth != null && root.child('members/' + $room + '/' + auth.uid).val() == true"
    rooms = {"$room": {".read": member, "m": {".indexOn": "n"}}}
    return json.dumps({"rules": {"rooms": rooms | {room: {".read": False} for room in closed}}})


def numbers(value):
    """Yields every counter in a message."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "n" or name.endswith("/n"):
                yield member
            else:
                yield from numbers(member)
    elif isinstance(value, list):
        for member in value:
            yield from numbers(member)


class Follower:
    """One listen: the values that it received, and its cancel. No value may arrive after the cancel."""

    def __init__(self, uid, room, query=None):
        self.uid, self.room, self.query = uid, room, query
        self.path = f"/rooms/{room}" + ("/m" if query else "")
        self.last, self.isCut, self.problem = 0, False, None

    def told(self, value):
        if self.isCut:
            self.problem = f"told after its end: {value}"
        self.last = max([self.last, *numbers(value)])

    def cut(self):
        if self.isCut:
            self.problem = "told its end twice"
        self.isCut = True


class Conversation:
    """Assigns the messages of a socket or a long poll to the listens of one client."""

    def __init__(self, followers):
        self.followers = followers

    def take(self, frame):
        data = frame["d"]
        if frame["t"] != "d" or "a" not in data:
            return
        body = data["b"]
        if data["a"] in ("d", "m"):
            for number, follower in enumerate(self.followers, 1):
                if body.get("t") == number or "t" not in body and under(body["p"], follower.path):
                    follower.told(body["d"])
        elif data["a"] == "c":
            query = (body.get("q") or [None])[0]
            for follower in self.followers:
                if follower.path == "/" + body["p"].strip("/") and follower.query == query:
                    follower.cut()


def under(path, top):
    return ("/" + path.strip("/") + "/").startswith(top + "/")


def requests_of(followers, token):
    yield {"r": 1, "a": "auth", "b": {"cred": token}}
    for number, follower in enumerate(followers, 1):
        tagged = {"q": follower.query, "t": number} if follower.query else {}
        yield {"r": number + 1, "a": "q", "b": {"p": follower.path, "h": "", **tagged}}


def follow_socket(server, token, followers, ready, stop):
    client, talk = Client(server), Conversation(followers)
    for request in requests_of(followers, token):
        client.send_text(json.dumps({"t": "d", "d": request}))
    client.socket.settimeout(0.5)
    while True:
        try:
            frame = client.receive()
        except Exception as problem:
            if "timed out" in str(problem) and not stop.is_set():
                continue
            return
        if frame["t"] == "d" and frame["d"].get("r") == len(followers) + 1:
            ready.release()
        talk.take(frame)


def follow_poll(server, token, followers, ready, stop):
    poll, talk = LongPoll(server), Conversation(followers)
    for request in requests_of(followers, token):
        poll.send({"t": "d", "d": request})
    at, isReady, decoder = 0, False, json.JSONDecoder()
    while not stop.is_set():
        while (start := poll.text.find("pRTLPCB(", at)) >= 0:
            batch, at = decoder.raw_decode(poll.text, poll.text.index(",", start) + 1)
            for frame in batch:
                if not isReady and frame["t"] == "d" and frame["d"].get("r") == len(followers) + 1:
                    isReady = True
                    ready.release()
                talk.take(frame)
        try:
            poll.poll()
        except requests.RequestException:
            return  # because the server has ended


def lines(stream):
    try:
        yield from stream_lines(stream)
    except requests.RequestException:
        pass  # because the server has ended


def follow_stream(server, token, followers, ready, stop):
    (follower,) = followers
    parameters = {"auth": token}
    with requests.get(
            f"{server.url}{follower.path}.json", params=parameters, headers={"Accept": "text/event-stream"},
            stream=True, timeout=WAIT_SECONDS) as answer:
        event, isReady = None, False
        for line in lines(answer):
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
            elif line.startswith("data: ") and event in ("put", "patch"):
                follower.told(json.loads(line.removeprefix("data: ")))
                if not isReady:
                    isReady = True
                    ready.release()
            elif line.startswith("data: ") and event in ("cancel", "auth_revoked"):
                follower.cut()


def write(server, secret, moments, removals, written):
    """Pipelines commits; every commit increments the counter, also the one that removes a member."""
    client, open_requests = Client(server), 0
    client.call("auth", cred=secret)
    client.number = 0
    removal_at = dict(zip(sorted(moments.sample(range(200, WRITES - 100), len(removals))), removals))
    for n in range(ROOMS + 1, WRITES + 1):
        room = f"r{moments.randrange(ROOMS)}"
        change = {}
        if n in removal_at:
            uid, room = removal_at[n]
            change[f"members/{room}/{uid}"] = None
        change[f"rooms/{room}/m/k{moments.randrange(20):02}"] = {"n": n}
        written[n] = (room, change)
        client.request("m", p="/", d=change)
        open_requests += 1
        while open_requests >= UNANSWERED_MAX:
            assert client.receive()["d"]["b"]["s"] == "ok"
            open_requests -= 1
        time.sleep(0.003)
    for _ in range(open_requests):
        assert client.receive()["d"]["b"]["s"] == "ok"


def test_no_frame_after_a_revocation_carries_a_later_commit(serve):
    seed = int(os.environ.get("HEARTH_SEED", random.randrange(1 << 30)))
    print("seed", seed)
    moments = random.Random(seed)
    server = serve(command="dev", rules=rules())
    secret = server.secret()
    app = Identity(server)
    users = [app.sign_up(f"user{i}@example.com", "password1") for i in range(USERS)]
    rooms = [f"r{i}" for i in range(ROOMS)]
    uids = [user["localId"] for user in users]
    start = {"members": {room: dict.fromkeys(uids, True) for room in rooms},
             "rooms": {room: {"m": {"k00": {"n": i}}} for i, room in enumerate(rooms, 1)}}
    answer = requests.put(f"{server.url}/.json", params={"auth": secret}, json=start, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    followers, threads, ready, stop = [], [], threading.Semaphore(0), threading.Event()

    def follow(kind, user, listens):
        followers.extend(listens)
        threads.append(threading.Thread(
            target=kind, args=(server, user["idToken"], listens, ready, stop), daemon=True))
        threads[-1].start()

    for i, user in enumerate(users):
        uid = user["localId"]
        follow(follow_socket, user, [Follower(uid, room) for room in rooms])
        follow(follow_socket, user, [Follower(uid, room, query) for room in rooms for query in QUERIES])
        follow(follow_stream, user, [Follower(uid, rooms[i % ROOMS])])
        follow(follow_poll, user, [Follower(uid, room) for room in rooms[:2]])
    for _ in threads:
        assert ready.acquire(timeout=WAIT_SECONDS), seed
    # Two users are disabled, the rules close one room, and half of all others lose their membership of some room.
    disabled, closed = uids[:2], rooms[-1]
    removals = moments.sample([(uid, room) for uid in uids[2:] for room in rooms[:-1]], 8)
    written = {}
    writer = threading.Thread(target=write, args=(server, secret, random.Random(seed), removals, written))
    writer.start()
    time.sleep(moments.uniform(0.5, 1.5))
    server.run("users", "disable", "user0@example.com", "--wait")
    answer = requests.put(
        f"{server.url}/.settings/rules.json", params={"auth": secret}, data=rules([closed]), timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    time.sleep(moments.uniform(0.1, 0.8))
    server.run("users", "disable", "user1@example.com", "--wait")
    # The test waits for each of the client's calls, for a limited time.
    writer.join()
    assert len(written) == WRITES - ROOMS, seed

    def complete():
        """Returns True when there is a receipt for each removal, for the deploy and for both users, with all clients notified."""
        page = requests.get(
            f"{server.url}/.settings/receipts.json", params={"auth": secret, "limit": 100}, timeout=WAIT_SECONDS).json()
        found = [receipt for receipt in page["receipts"] if receipt["database"]]
        isAll = len(found) >= len(removals) + 3 and all(receipt["isComplete"] for receipt in found)
        return found if isAll else None

    receipts = until(complete, "the receipts")

    # The positions of the revocations. Each commit of the writer, and each deploy, is one position.
    deploys = [receipt["position"] for receipt in receipts if receipt["cause"] == "rules"]
    by_removal = {n: change for n, (_, change) in written.items() if any(key.startswith("members/") for key in change)}
    cuts = {}
    for receipt in receipts:
        for uid, room in {(one["uid"], one["path"].split("/")[2]) for one in receipt["listeners"]}:
            cuts.setdefault((uid, room), receipt["position"] + (receipt["cause"] == "revocation"))
    first = min(receipt["position"] for receipt in receipts if receipt["cause"] == "write")
    base = first - min(by_removal) - sum(deploy < first for deploy in deploys)

    def position(n):
        found = base + n
        for deploy in sorted(deploys):
            found += found >= deploy
        return found

    told = {receipt["position"] for receipt in receipts if receipt["cause"] == "write"}
    assert told == {position(n) for n in by_removal}, (seed, told, sorted(map(position, by_removal)))

    # Messages in transit arrive; then nothing more comes.
    finals = {room: max(n for n, (other, _) in written.items() if other == room) for room in rooms}
    expected = {(uid, room) for uid, room in removals} | {(uid, room) for uid in disabled for room in rooms}
    expected |= {(uid, closed) for uid in uids}

    def settled(follower):
        if (follower.uid, follower.room) in expected:
            return follower.isCut
        # A query with a limit does not change with every write.
        return follower.query == QUERIES[0] or follower.last == finals[follower.room]

    until(lambda: all(map(settled, followers)),
          lambda: [(seed, one.uid, one.path, one.query, one.last) for one in followers if not settled(one)])
    stop.set()
    for follower in followers:
        where = (seed, follower.uid, follower.path, follower.query, follower.last)
        assert follower.problem is None, (where, follower.problem)
        assert settled(follower), where
        assert follower.isCut == ((follower.uid, follower.room) in expected), where
        if follower.isCut and follower.last > ROOMS:
            assert position(follower.last) < cuts[follower.uid, follower.room], (where, cuts)
    # The receipts name the last commit of every listener.
    for receipt in receipts:
        for one in receipt["listeners"]:
            assert one["lastPosition"] < receipt["position"] + (receipt["cause"] == "revocation"), (seed, receipt)
    named = sorted(
        (one["uid"], one["path"], json.dumps(one.get("query")), one["lastPosition"])
        for receipt in receipts for one in receipt["listeners"])
    seen = sorted(
        (follower.uid, follower.path, json.dumps(follower.query), position(follower.last))
        for follower in followers if follower.isCut)
    pushed = {entry for entry in seen if entry[3] > position(ROOMS)}
    assert pushed and pushed <= set(named), (seed, pushed - set(named))
    assert len(named) == len(seen), (seed, len(named), len(seen))
    server.kill()
    for thread in threads:
        thread.join(WAIT_SECONDS)
        assert not thread.is_alive(), seed
