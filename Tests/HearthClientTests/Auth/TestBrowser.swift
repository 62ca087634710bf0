import Foundation
import HearthTree
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A browser without scripts, cookies of its own, or redirects.
final class TestBrowser: NSObject, URLSessionTaskDelegate {
  /// A page, of any status.
  struct Page: Sendable {
    var status: Int
    var text: String
    var location: String?
    var cookie: String?

    /// The address of the link that returns to the program.
    var back: URL? {
      guard let start = text.range(of: "<a id=\"back\""),
        let link = text[start.upperBound...].range(of: "href=\"")
      else { return nil }
      return URL(string: String(text[link.upperBound...].prefix { $0 != "\"" }).replacing("&amp;", with: "&"))
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func open(_ url: URL, method: String = "GET", cookie: String? = nil) async throws -> Page {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    var request = URLRequest(url: url)
    request.httpMethod = method
    if let cookie { request.setValue(cookie, forHTTPHeaderField: "Cookie") }
    let (data, response) = try await session.data(for: request)
    let answer = try #require(response as? HTTPURLResponse)
    return Page(
      status: answer.statusCode, text: String(decoding: data, as: UTF8.self),
      location: answer.value(forHTTPHeaderField: "Location"),
      cookie: answer.value(forHTTPHeaderField: "Set-Cookie").map { String($0.prefix { $0 != ";" }) })
  }

  /// Visits the provider's page, which returns at once; returns the page that leads back to the program.
  ///
  /// - Parameter answer: The provider's answer without the state, `code=…`; nil for the code of the test's provider.
  func visit(_ url: URL, answer: String? = nil) async throws -> Page {
    let gone = try await open(url)
    try #require(gone.status == 303, "\(gone.text)")
    let state = try #require(gone.location?.split(separator: "=").last)
    var parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
    parts.percentEncodedQuery = "state=\(state)&" + (answer ?? "code=4/code-\(state)")
    return try await open(try #require(parts.url), cookie: gone.cookie)
  }
}
