extension Database {
  /// The encoder of `Encodable` values for `setValue(_:)`.
  public typealias Encoder = DatabaseEncoder
  /// The decoder of `Decodable` values from a snapshot's `value`.
  public typealias Decoder = DatabaseDecoder
}
