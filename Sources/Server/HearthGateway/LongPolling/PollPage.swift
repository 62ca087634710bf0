/// The page that a client loads into a hidden frame: when the browser leaves, it reports the end of the session.
enum PollPage {
  /// Returns the page.
  ///
  /// - Parameter session: a session with well-formed texts, because they become a part of a script.
  static func html(for session: PollSession) -> String {
    """
    <!DOCTYPE html>
    <html><head><meta charset="utf-8"><title></title></head><body><script>
    (function () {
      var said = false;
      function leave() {
        if (said) return;
        said = true;
        var url = "\(PollRequest.path)?disconn=t&id=\(session.id)&pw=\(session.password)";
        if (navigator.sendBeacon && navigator.sendBeacon(url)) return;
        var request = new XMLHttpRequest();
        request.open("GET", url, false);
        request.send();
      }
      window.addEventListener("unload", leave);
      window.addEventListener("pagehide", leave);
    })();
    </script></body></html>

    """
  }
}
