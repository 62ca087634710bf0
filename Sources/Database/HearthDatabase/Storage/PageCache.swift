/// The memory for the pages of databases whose data need not be in memory, shared by all databases of a process.
///
/// No server has one yet: without it, only databases that have a checkpoint already have pages.
public final class PageCache: Sendable {
  /// Creates a cache.
  public init() {}
}
