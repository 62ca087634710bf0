"""The web SDK in Chromium, with a Hearth server in place of Google's, and a real OpenID provider."""
