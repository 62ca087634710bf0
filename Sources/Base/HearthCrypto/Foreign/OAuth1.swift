import HearthBytes

/// The signature of requests by OAuth 1.0 (RFC 5849) with HMAC-SHA1, which Twitter still requires.
public enum OAuth1 {
  /// Returns the value of the `Authorization` header.
  ///
  /// - Parameters:
  /// - method: `GET`, `POST`, …
  /// - url: The URL without query and fragment, with scheme and host in lower case and without the default port.
  /// - parameters: The parameters of the query, and of the body when that is a form; not percent-encoded yet.
  /// - token, tokenSecret: The user's token and its secret; nil for a request that has none.
  /// - nonce: A nonce that was not used before with this timestamp.
  /// - timestamp: The time in seconds since 1970.
  public static func authorization(
    method: String, url: String, parameters: [(name: String, value: String)] = [], consumerKey: String,
    consumerSecret: String, token: String?, tokenSecret: String?, nonce: String, timestamp: Int64
  ) -> String {
    var fields: [(name: String, value: String)] = [
      ("oauth_consumer_key", consumerKey), ("oauth_nonce", nonce), ("oauth_signature_method", "HMAC-SHA1"),
      ("oauth_timestamp", String(timestamp)), ("oauth_version", "1.0"),
    ]
    if let token { fields.append(("oauth_token", token)) }
    let base = baseString(method: method, url: url, parameters: parameters + fields)
    let key = percentEncoded(consumerSecret) + "&" + percentEncoded(tokenSecret ?? "")
    // The key is never empty. When memory is exhausted the signature is empty, and the provider refuses it.
    let signature = HashFunction.sha1.hmac(Array(base.utf8), key: Array(key.utf8)) ?? []
    fields.append(("oauth_signature", Base64.encode(signature)))
    let rendered = fields.sorted { $0.name < $1.name }.map { "\($0.name)=\"\(percentEncoded($0.value))\"" }
    return "OAuth " + rendered.joined(separator: ", ")
  }

  /// Returns the text to sign: the method, the address, and all parameters, encoded and sorted.
  static func baseString(method: String, url: String, parameters: [(name: String, value: String)]) -> String {
    let pairs = parameters.map { (name: percentEncoded($0.name), value: percentEncoded($0.value)) }
    let sorted = pairs.sorted { left, right in
      // Encoded texts are ASCII, for which Swift's order of strings is that of the bytes.
      left.name == right.name ? left.value < right.value : left.name < right.name
    }
    let joined = sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    return [method.uppercased(), percentEncoded(url), percentEncoded(joined)].joined(separator: "&")
  }

  /// Returns the text with all characters but letters, digits and `-._~` as `%XX` of their UTF-8 (RFC 5849 §3.6).
  static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        out.append(byte)
      default: out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
