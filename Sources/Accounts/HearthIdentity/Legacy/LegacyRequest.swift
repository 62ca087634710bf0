import HearthAccounts
import HearthEngine
import HearthTree

/// A request of a 2.x client, independent of its encoding.
///
/// Web clients send everything as GET, with the method in `_method`; Android's send real methods and forms. The body
/// takes precedence over the query, and an address in the path over both.
struct LegacyRequest: Sendable {
  let client: ClientInfo
  let now: Instant
  /// The method: `GET`, `POST`, `PUT` or `DELETE`.
  var method: String
  /// The decoded path, without the namespace.
  var path: [String]
  private var fields: [String: String]
  /// The name of the JSONP callback function.
  var callback: String?
  /// True for clients that cannot read the body of a response with another status.
  var wantsStatusOK: Bool
  var transport: String?

  /// Reads a request; nil when the path, the body or the callback does not belong to this interface.
  init?(_ request: IdentityRequest) {
    client = request.client
    now = request.now
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: true)
    guard segments.count >= 3, segments[0] == "v2" else { return nil }
    var path: [String] = []
    for segment in segments.dropFirst(2) {
      guard let text = PercentEncoding.decode(segment.utf8) else { return nil }
      path.append(text)
    }
    self.path = path
    fields = [:]
    for (name, value) in request.query where !name.isEmpty { fields[name] = value }
    guard let body = Self.body(of: request) else { return nil }
    fields.merge(body) { _, body in body }
    callback = fields["callback"]
    wantsStatusOK = fields["suppress_status_codes"] == "true" || callback != nil
    transport = fields["transport"]
    let verb = request.method == "HEAD" ? "GET" : request.method
    method = ["GET", "POST"].contains(verb) ? fields["_method"]?.uppercased() ?? verb : verb
    if let callback, !Self.isFunctionName(callback) { return nil }
  }

  /// The field; nil when it is absent or too long.
  func field(_ name: String) -> String? {
    fields[name].flatMap { $0.utf8.count <= IdentityCall.longTextBytesMax ? $0 : nil }
  }

  /// The credential for a provider: all parameters except those of this interface.
  var credential: [String: String] {
    let own: Set<String> = ["callback", "suppress_status_codes", "transport", "v", "_method", "_", "key"]
    return fields.filter { !own.contains($0.key) && $0.value.utf8.count <= IdentityCall.longTextBytesMax }
  }

  private static func body(of request: IdentityRequest) -> [String: String]? {
    guard !request.body.isEmpty else { return [:] }
    if request.contentType?.lowercased().hasPrefix("application/json") == true {
      guard let members = JSON(parsing: request.body)?.members else { return nil }
      var fields: [String: String] = [:]
      for member in members {
        switch member.value {
        case .string(let text): fields[member.name] = text
        case .int(let number): fields[member.name] = String(number)
        case .bool(let value): fields[member.name] = value ? "true" : "false"
        case .null, .double, .array, .object: continue
        }
      }
      return fields
    }
    guard let form = PercentEncoding.pairs(request.body) else { return nil }
    return Dictionary(form.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
  }

  /// Returns true for plain names: any other text before the brackets would be a script of the sender's in this origin.
  static func isFunctionName(_ text: String) -> Bool {
    guard (1...128).contains(text.utf8.count), let first = text.utf8.first else { return false }
    func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }
    return isLetter(first)
      && text.utf8.allSatisfy {
        isLetter($0) || $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
  }
}
