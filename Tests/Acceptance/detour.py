"""A TCP proxy between two programs that a test can interrupt. Its target is a port, or the path of a Unix domain socket."""

import asyncio
import threading


class Detour:
    def __init__(self, target):
        self.target = target
        # The bytes held back while the connection is cut; None while it is not.
        self.held = None
        self.loop = asyncio.new_event_loop()
        self.server = self.loop.run_until_complete(asyncio.start_server(self._connect, "127.0.0.1", 0))
        self.port = self.server.sockets[0].getsockname()[1]
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def cut(self):
        """Holds all bytes back and reports no error to either side, as with a cut cable; `heal` delivers them."""
        self.loop.call_soon_threadsafe(self._cut)

    def heal(self):
        self.loop.call_soon_threadsafe(self._heal)

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.server.close()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()

    def _cut(self):
        self.held = self.held or []

    def _heal(self):
        held, self.held = self.held or [], None
        for writer, data in held:
            self._give(writer, data)

    async def _connect(self, reader, writer):
        try:
            if isinstance(self.target, int):
                there = await asyncio.open_connection("127.0.0.1", self.target)
            else:
                there = await asyncio.open_unix_connection(str(self.target))
        except OSError:
            return writer.close()
        await asyncio.gather(self._pass(reader, there[1]), self._pass(there[0], writer))

    async def _pass(self, reader, writer):
        data = b"more"
        while data:
            try:
                data = await reader.read(1 << 16)
            except OSError:
                data = b""
            self._give(writer, data)

    def _give(self, writer, data):
        if self.held is not None:
            self.held.append((writer, data))
        elif data:
            writer.write(data)
        else:
            writer.close()
