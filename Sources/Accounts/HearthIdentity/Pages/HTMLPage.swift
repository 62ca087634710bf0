import HearthAccounts
import HearthBytes
import HearthCrypto
import HearthTree

/// A small page of plain HTML without external resources: one style sheet and at most one script, whose hashes the
/// content security policy allows.
package struct HTMLPage: Sendable {
  var title: String
  /// The markup; every text in it went through ``HTMLText/escaped(_:)``.
  var content: String
  var status = 200
  /// The script that runs when the page has loaded; nil without one.
  var script: String?
  /// The captcha widget, the only external resource; nil without one.
  var widget: CaptchaWidget?

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
    \(content)</main>\(script.map { "\n<script>\($0)</script>" } ?? "")\(libraryMarkup)
    </body>
    </html>

    """
  }

  /// The page as a response. It is not cached, cannot be framed, and sends no referrer to other sites.
  package var response: IdentityResponse {
    var response = IdentityResponse(
      status: status, contentType: "text/html; charset=utf-8", body: Array(text.utf8))
    response.isForBrowsers = true
    response.headers = [
      ("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer"),
      ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("X-Robots-Tag", "noindex"),
    ]
    return response
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
    .problem{color:var(--wrong)}details{margin-bottom:1rem}summary{cursor:pointer;margin-bottom:.6rem}h2{font-size:1rem;margin:1.2rem 0 .6rem}[hidden]{display:none}\
    .check{margin:-.4rem 0 1rem}.check input{width:auto;margin:0 .3rem 0 0}button.quiet,button.row{background:none;\
    color:inherit;box-shadow:inset 0 0 0 1px var(--line)}button.row{display:block;width:100%;margin-bottom:.5rem;\
    text-align:left}button.row span{display:block;font-weight:400;font-size:.9rem}
    """

  private static let styleHash = hash(of: style)

  private var libraryMarkup: String {
    widget.map { "\n<script src=\"\(HTMLText.escaped($0.libraryURL))\" async></script>" } ?? ""
  }

  private var policy: String {
    let rest = "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    guard let widget else {
      let scripts = script.map { "script-src \(Self.hash(of: $0)); " } ?? ""
      return "default-src 'none'; style-src \(Self.styleHash); \(scripts)\(rest)"
    }
    // Widgets add styles of their own to the page.
    let (scripts, frames) = widget.sources
    return "default-src 'none'; style-src 'unsafe-inline' \(frames); "
      + "script-src \(script.map { Self.hash(of: $0) } ?? "") \(scripts); frame-src \(frames); connect-src \(frames); "
      + rest
  }

  /// The hash of an inline style sheet or script, for the content security policy.
  static func hash(of text: String) -> String {
    let hash = Base64URL.encode(Digest(sha256: text.utf8).bytes).map { character -> Character in
      switch character {
      case "-": "+"
      case "_": "/"
      default: character
      }
    }
    return "'sha256-\(String(hash))='"
  }
}
