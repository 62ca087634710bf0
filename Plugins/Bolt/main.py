"""A plugin that translates Bolt, a former rules language of Firebase, into rules."""

from bolt import translate
from hearth_plugin import Plugin

plugin = Plugin("bolt", "1.0.0", threads=2)


@plugin.hook("rulesSource")
def rules_source(request, settings):
    text = request["text"]
    if not isinstance(text, str):
        raise TypeError("text")
    return translate(text)


plugin.run()
