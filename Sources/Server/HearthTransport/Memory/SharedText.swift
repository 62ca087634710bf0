/// A large text that waits for any number of connections, and counts once for as long as it is kept.
package final class SharedText: Sendable {
  /// Its name in the memory's table.
  package let id: ClientMemory.Table.ID
  /// What it counts as.
  package let sizeBytes: Int
  /// The text itself, when others may want the same.
  package let made: (any AnyObject & Sendable)?
  private let memory: ClientMemory

  /// Made by ``ClientMemory/text(bytes:made:)``, which counts it.
  init(_ memory: ClientMemory, id: ClientMemory.Table.ID, sizeBytes: Int, made: (any AnyObject & Sendable)?) {
    self.memory = memory
    self.id = id
    self.sizeBytes = sizeBytes
    self.made = made
  }

  deinit { memory.remove(text: id) }
}
