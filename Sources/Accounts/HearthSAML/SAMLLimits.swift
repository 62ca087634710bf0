/// The limits for documents of identity providers.
package enum SAMLLimits {
  /// The maximum size of the decoded response, in bytes. Responses with hundreds of groups have some 40 KiB.
  package static let responseBytesMax = 128 << 10
  /// The maximum size of metadata, in bytes.
  package static let metadataBytesMax = 128 << 10
  /// The maximum nesting of elements. A response has some ten levels.
  static let depthMax = 32
  /// The maximum number of attributes of one element, with namespaces; a parser compares each with all others.
  static let elementAttributesMax = 256
  /// The maximum length of the name id, in bytes.
  static let nameIDBytesMax = 255
  /// The maximum number of attributes of a user.
  static let attributesMax = 100
  /// The maximum number of values of one attribute.
  static let valuesMax = 200
  /// The maximum length of an attribute's value, in bytes; longer ones are ignored.
  static let valueBytesMax = 2_048
  /// The maximum number of certificates of an identity provider: the current one, and its successors.
  package static let certificatesMax = 10
  /// The maximum length of a certificate's text, in bytes.
  package static let certificateBytesMax = 16 << 10
  /// The tolerated difference of the two servers' clocks, in seconds, unless the configuration sets another.
  package static let skewSecondsDefault: Int64 = 60
  /// The largest difference that can be configured, in seconds.
  package static let skewSecondsMax: Int64 = 300
}
