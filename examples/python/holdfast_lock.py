"""A lock of Holdfast with nothing but Python's standard library: with lock(url, key, "job:42", 30) as lease: …"""
import json, random, socket, threading, time, urllib.error, urllib.parse, urllib.request, uuid
from contextlib import contextmanager


class NotAcquired(Exception):
    """Somebody else held the lock for as long as was waited."""


class Unavailable(Exception):
    """The service did not answer for as long as was waited. Somebody may hold the lock, or nobody."""


class Lost(Exception):
    """The lease can't be relied on any more."""


class Lease:
    def __init__(self, call, owner, token, ttl, sent):
        self.owner, self.fencing_token, self.ttl = owner, token, ttl
        self._call, self._ends, self._done = call, sent + ttl, threading.Event()
        self.lost = threading.Event()
        threading.Thread(target=self._renew, daemon=True).start()

    def is_held(self):
        return not self.lost.is_set() and time.monotonic() < self._ends

    def _renew(self):
        pause = self.ttl / 3
        while not self._done.wait(max(0.05, min(pause, self._ends - time.monotonic()))):
            if time.monotonic() >= self._ends:
                return self.lost.set()
            sent = time.monotonic()
            body = {"owner": self.owner, "ttl_ms": int(self.ttl * 1000), "fencing_token": self.fencing_token}
            status, _ = self._call("POST", "/renew", body, max(0.05, (self._ends - sent) / 2))
            if status == 200:
                self._ends, pause = sent + self.ttl, self.ttl / 3
            elif status in (404, 409):
                return self.lost.set()
            else:
                pause = random.uniform(0, self.ttl / 10)

    def release(self):
        self._done.set()
        self._call("DELETE", "", {"owner": self.owner, "fencing_token": self.fencing_token}, 3)


@contextmanager
def lock(url, key, resource, ttl, wait=10):
    path = url + "/api/locks/" + urllib.parse.quote(resource, safe="")

    def call(method, verb, body, timeout):
        request = urllib.request.Request(path + verb, json.dumps(body).encode(), method=method, headers={
            "Authorization": "Bearer " + key, "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            return error.code, None
        except (OSError, ValueError):
            return None, None  # maybe: send it again

    # One owner for all tries: a try whose answer got lost is then not in the way of the next.
    owner, until = f"{socket.gethostname()}/{uuid.uuid4()}", time.monotonic() + wait
    while True:
        sent = time.monotonic()
        status, answer = call("POST", "", {"owner": owner, "ttl_ms": int(ttl * 1000)}, 3)
        if status == 200 and answer["acquired"]:
            break
        if status is not None and status != 200 and status != 429 and status < 500:
            # A wrong key, name or TTL: asking again would not help.
            raise RuntimeError(f"the service answered {status}")
        if time.monotonic() >= until:
            raise NotAcquired(resource) if status == 200 else Unavailable(resource)
        asked = answer["retry_after_ms"] / 1000 if status == 200 else 0
        time.sleep(max(0, min(asked + random.uniform(0.01, 1), until - time.monotonic())))
    lease = Lease(call, owner, answer["lock"]["fencing_token"], ttl, sent)
    try:
        yield lease
        if not lease.is_held():
            raise Lost(resource)
    finally:
        lease.release()
