/// A large text that waits for any number of connections, and counts once for as long as it is referenced.
package final class SharedText: Sendable {
  /// The text's id in the memory's table.
  package let id: ClientMemory.Table.ID
  /// The size that it counts as.
  package let sizeBytes: Int
  /// The text itself, when other connections may need the same.
  package let made: (any AnyObject & Sendable)?
  private let memory: ClientMemory

  /// Creates a text that ``ClientMemory/text(bytes:made:)`` has counted.
  init(_ memory: ClientMemory, id: ClientMemory.Table.ID, sizeBytes: Int, made: (any AnyObject & Sendable)?) {
    self.memory = memory
    self.id = id
    self.sizeBytes = sizeBytes
    self.made = made
  }

  deinit { memory.remove(text: id) }
}
