extension Database {
  /// Turns `Encodable` values into what `setValue(_:)` takes.
  public typealias Encoder = DatabaseEncoder
  /// Turns what a snapshot's `value` gives into `Decodable` values.
  public typealias Decoder = DatabaseDecoder
}
