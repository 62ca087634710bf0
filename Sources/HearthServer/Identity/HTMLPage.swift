import HearthAccounts
import HearthCrypto
import HearthTransport
import NIOCore
import NIOHTTP1

/// A small page of plain HTML: no script, nothing from elsewhere, one style sheet that the policy names by its hash.
struct HTMLPage: Sendable {
  var title: String
  /// Markup; every text in it went through ``HTMLText/escaped(_:)``.
  var content: String
  var status = HTTPResponseStatus.ok

  static func paragraph(_ text: String) -> String { "<p>\(HTMLText.escaped(text))</p>\n" }

  var text: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <meta name="robots" content="noindex">
    <title>\(HTMLText.escaped(title))</title>
    <style>\(Self.style)</style>
    </head>
    <body>
    <main>
    <h1>\(HTMLText.escaped(title))</h1>
    \(content)</main>
    </body>
    </html>

    """
  }

  /// The page as an answer. It is not kept, not shown in frames, and tells no other site where the reader came from.
  func response(id: String) -> HTTPResponse {
    HTTPResponse(
      status,
      headers: [
        (name: "Content-Type", value: "text/html; charset=utf-8"), (name: "Cache-Control", value: "no-store"),
        (name: "Content-Security-Policy", value: Self.policy), (name: "Referrer-Policy", value: "no-referrer"),
        (name: "X-Content-Type-Options", value: "nosniff"), (name: "X-Frame-Options", value: "DENY"),
        (name: "X-Robots-Tag", value: "noindex"), (name: "X-Request-Id", value: id),
      ], body: ByteBuffer(string: text))
  }

  private static let style = """
    :root{color-scheme:light dark;--back:#f4f4f2;--card:#fff;--text:#1c1c1a;--line:#8a8a84;--accent:#b3471d;\
    --wrong:#a40000}\
    @media(prefers-color-scheme:dark){:root{--back:#161615;--card:#232322;--text:#ececea;--line:#77776f;\
    --accent:#c4542a;--wrong:#ff8f85}}\
    body{font:1rem/1.5 system-ui,sans-serif;margin:0;padding:1rem;background:var(--back);color:var(--text)}\
    main{box-sizing:border-box;max-width:28rem;margin:10vh auto;padding:2rem;background:var(--card);\
    border-radius:.6rem;box-shadow:0 1px 4px #0003;overflow-wrap:anywhere}\
    h1{font-size:1.4rem;line-height:1.25;margin:0 0 1rem}p{margin:0 0 1rem}label{display:block;margin-bottom:.3rem}\
    input{font:inherit;width:100%;box-sizing:border-box;padding:.55rem .7rem;margin-bottom:1rem;\
    border:1px solid var(--line);border-radius:.35rem;background:var(--card);color:inherit}\
    button,a.button{font:inherit;font-weight:600;display:inline-block;padding:.55rem 1.3rem;border:0;\
    border-radius:.35rem;background:var(--accent);color:#fff;text-decoration:none;cursor:pointer}\
    :focus-visible{outline:3px solid var(--accent);outline-offset:2px}main>:last-child{margin-bottom:0}\
    .problem{color:var(--wrong)}
    """

  private static let policy: String = {
    let hash = Base64URL.encode(Digest(sha256: style.utf8).bytes).map { character -> Character in
      switch character {
      case "-": "+"
      case "_": "/"
      default: character
      }
    }
    return "default-src 'none'; style-src 'sha256-\(String(hash))='; form-action 'self'; base-uri 'none'; "
      + "frame-ancestors 'none'"
  }()
}
