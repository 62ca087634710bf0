"""The web SDK in a real Chromium, with this server in the place of Google's and a real OpenID provider beside it."""
