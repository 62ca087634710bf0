import HearthCrypto
import HearthOutbound
import HearthPlugin
import HearthTree

/// HTTP requests to providers that answer with a JSON object.
struct ProviderHTTP: Sendable {
  let http: any OutboundHTTP

  /// The timeout of one request; a check makes at most two requests in sequence, and the server waits ten seconds.
  static let timeoutSeconds = 4
  /// The largest answer; profiles and key sets take some kilobytes.
  static let responseSizeBytesMax = 131_072

  struct Answer: Sendable {
    var status: Int
    var json: JSON
    /// The lifetime of the answer in seconds as the provider states it; nil when it does not.
    var maxAgeSeconds: Int64?
  }

  /// Sends a request and returns the answer.
  ///
  /// - Throws: A refusal when the provider is down or slow, or its answer is too large or not a JSON object.
  func ask(
    _ method: OutboundRequest.Method = .get, _ url: String, query: [(String, String)] = [],
    headers: [OutboundHeader] = [], body: JSON? = nil, form: [(String, String)]? = nil
  ) async throws(SignInRefusal) -> Answer {
    var headers = headers + [OutboundHeader("Accept", "application/json"), OutboundHeader("User-Agent", "hearth")]
    if body != nil { headers.append(OutboundHeader("Content-Type", "application/json")) }
    if form != nil { headers.append(OutboundHeader("Content-Type", "application/x-www-form-urlencoded")) }
    let request = OutboundRequest(
      method: method, url: query.isEmpty ? url : url + "?" + Self.form(query), headers: headers,
      body: body?.text() ?? form.map { Array(Self.form($0).utf8) } ?? [], timeoutSeconds: Self.timeoutSeconds,
      responseSizeBytesMax: Self.responseSizeBytesMax)
    let response: OutboundResponse
    do throws(OutboundError) {
      response = try await http.send(request)
    } catch {
      throw Self.unavailable
    }
    guard let json = JSON(parsing: response.body), json.members != nil || json.array != nil else {
      throw Self.unavailable
    }
    return Answer(status: response.status, json: json, maxAgeSeconds: Self.maxAge(response.header("Cache-Control")))
  }

  /// The refusal for every failure of a provider; clients do not learn which one.
  static let unavailable = SignInRefusal(.invalidProviderResponse, "The provider returned an unusable response.")

  /// Returns `name=value&…`, percent-encoded.
  static func form(_ fields: [(String, String)]) -> String {
    fields.map { PercentEncoding.encode($0.0) + "=" + PercentEncoding.encode($0.1) }.joined(separator: "&")
  }

  private static func maxAge(_ header: String?) -> Int64? {
    guard let header else { return nil }
    for directive in header.lowercased().split(separator: ",") {
      let parts = directive.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == "max-age" else { continue }
      return Int64(parts[1].drop { $0 == " " || $0 == "\"" }.prefix(while: \.isNumber))
    }
    return nil
  }
}
