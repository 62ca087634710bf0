import COpenSSL

/// The certificate authority of one cluster, whose nodes authenticate each other by its certificates. ECDSA on P-256
/// with SHA-256, X.509 version 3.
package struct NodeAuthority: Sendable, Redacted {
  /// A certificate and its private key, in PEM.
  package struct Credentials: Sendable, Redacted {
    /// The certificate.
    package let certificate: [UInt8]
    /// The private key as PKCS#8, not encrypted.
    package let key: [UInt8]
  }

  /// A failure, in words for the operator, without any part of a key.
  package struct Failure: Error, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// The validity of a node's certificate, in days.
  package static let nodeDays = 5 * 365
  /// The validity of the authority's certificate, in days: longer, so that nodes can join later.
  package static let authorityDays = 10 * 365
  /// The seconds by which the validity of a certificate begins before its issue, for machines whose clocks are behind.
  private static let clockSkewSeconds: Int64 = 3_600

  /// The authority's own certificate and key.
  package let credentials: Credentials

  /// Creates a new authority.
  ///
  /// - Parameter seconds: The current time in seconds since 1970.
  /// - Throws: ``Failure`` when OpenSSL's generator fails.
  package init(now seconds: Int64) throws(Failure) {
    let key = try NodeKey()
    let certificate = try NodeCertificate(
      named: "Hearth cluster", of: key, from: seconds - Self.clockSkewSeconds,
      until: seconds + Int64(Self.authorityDays) * 86_400)
    try certificate.add(
      [
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_subject_key_identifier, "hash"),
      ], issuedBy: certificate)
    try certificate.sign(with: key, issuedBy: certificate)
    credentials = try Credentials(certificate: certificate.pem(), key: key.pem())
  }

  /// Reads an existing authority.
  ///
  /// - Throws: ``Failure`` when certificate and key cannot be read or do not belong together.
  package init(_ credentials: Credentials) throws(Failure) {
    let (certificate, key) = (try NodeCertificate(pem: credentials.certificate), try NodeKey(pem: credentials.key))
    guard X509_check_private_key(certificate.pointer, key.pointer) == 1, X509_check_ca(certificate.pointer) == 1 else {
      ERR_clear_error()
      throw Failure(description: "the certificate and the key do not match, or are not those of an authority")
    }
    self.credentials = credentials
  }

  /// Issues a certificate for a node, which expires no later than the authority's own.
  ///
  /// - Parameters:
  /// - node: The name of the node, which becomes a DNS name in the certificate: see ``isName(_:)``.
  /// - seconds: The current time in seconds since 1970.
  /// - Throws: ``Failure``.
  package func issue(_ node: String, now seconds: Int64) throws(Failure) -> Credentials {
    guard Self.isName(node) else { throw Failure(description: "\"\(node)\" is not a valid node name") }
    let (own, ownKey) = (try NodeCertificate(pem: credentials.certificate), try NodeKey(pem: credentials.key))
    let key = try NodeKey()
    let certificate = try NodeCertificate(
      named: node, of: key, from: seconds - Self.clockSkewSeconds, until: seconds + Int64(Self.nodeDays) * 86_400,
      atMost: own)
    try certificate.add(
      [
        (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
        (NID_ext_key_usage, "serverAuth,clientAuth"), (NID_subject_alt_name, "DNS:\(node)"),
        (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always"),
      ], issuedBy: own)
    try certificate.sign(with: ownKey, issuedBy: own)
    return try Credentials(certificate: certificate.pem(), key: key.pem())
  }

  /// Returns true when a text can name a node: a label of a DNS name, 1 to 63 of `a-z`, `0-9` and `-`, with no `-` at
  /// an end.
  package static func isName(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard (1...63).contains(bytes.count), bytes.first != UInt8(ascii: "-"), bytes.last != UInt8(ascii: "-") else {
      return false
    }
    return bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
  }
}

extension NodeAuthority.Credentials {
  /// Creates credentials from a stored certificate and key.
  package init(certificate: [UInt8], keyInClear key: [UInt8]) { (self.certificate, self.key) = (certificate, key) }
}

extension NodeAuthority.Failure {
  /// Returns the error for a failure of OpenSSL. OpenSSL's own message is left out, because it may contain the data.
  static func ofOpenSSL(_ text: String) -> Self {
    ERR_clear_error()
    return Self(description: text)
  }
}
