/// A large text that waits for any number of connections, and counts once for as long as it is kept.
final class SharedText: Sendable {
  let id: ClientMemory.Table.ID
  let sizeBytes: Int
  /// The text itself, when others may want the same.
  let made: RecentTexts.Made?
  private let memory: ClientMemory

  init(_ memory: ClientMemory, id: ClientMemory.Table.ID, sizeBytes: Int, made: RecentTexts.Made?) {
    self.memory = memory
    self.id = id
    self.sizeBytes = sizeBytes
    self.made = made
  }

  deinit { memory.remove(text: id) }
}
