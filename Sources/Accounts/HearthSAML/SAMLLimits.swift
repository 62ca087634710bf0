/// The limits for documents of identity providers.
package enum SAMLLimits {
  /// The decoded response, in bytes. Responses with hundreds of groups have some 40 KiB.
  package static let responseBytesMax = 128 << 10
  /// Metadata, in bytes.
  package static let metadataBytesMax = 128 << 10
  /// The nesting of elements. A response has some ten levels.
  static let depthMax = 32
  /// Attributes of one element, with namespaces; a parser compares each with all others.
  static let elementAttributesMax = 256
  /// The name id, in bytes.
  static let nameIDBytesMax = 255
  /// Attributes of a user.
  static let attributesMax = 100
  /// Values of one attribute.
  static let valuesMax = 200
  /// A value of an attribute, in bytes; longer ones are ignored.
  static let valueBytesMax = 2_048
  /// Certificates of an identity provider: the current one, and its successors.
  package static let certificatesMax = 10
  /// A certificate, in bytes of its text.
  package static let certificateBytesMax = 16 << 10
  /// The tolerated difference of the two servers' clocks, in seconds, unless the configuration sets another.
  package static let skewSecondsDefault: Int64 = 60
  /// The largest difference that can be configured, in seconds.
  package static let skewSecondsMax: Int64 = 300
}
