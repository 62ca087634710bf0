extension RunningHash {
  /// A running hash in its stored form.
  package init(stored: Int64) { self.init(rawValue: UInt64(bitPattern: stored)) }

  /// The form for columns of signed integers, with the same bits.
  package var stored: Int64 { Int64(bitPattern: rawValue) }
}
