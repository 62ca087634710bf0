import HearthTree

extension Engine {
  /// Evicts pages that were not read lately from the data. The content stays the same.
  package mutating func evict(by evictor: inout PageEvictor, sizeBytes: Int) {
    state.root = evictor.run(state.root, sizeBytes: sizeBytes)
  }
}
