import Foundation
import HearthTestKit
import Testing

/// Tests of the protocol as scripted conversations, each of which cites its statement in the protocol's description.
@Suite struct ConversationTests {
  /// The conversation files, read once.
  static let files: [(name: String, conversations: [Conversation])] = {
    guard let folder = Bundle.module.url(forResource: "Data", withExtension: nil) else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
    return names.compactMap { name in
      guard let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8) else { return nil }
      do { return (name, try Conversation.parse(text)) } catch {
        Issue.record("\(name): \(error)")
        return nil
      }
    }
  }()

  @Test("at least 150 conversations have distinct titles and cite their sources")
  func thereAreEnough() {
    let all = Self.files.flatMap(\.conversations)
    #expect(all.count >= 150)
    #expect(Set(all.map(\.title)).count == all.count)
    for conversation in all {
      #expect(conversation.source.hasPrefix("wire ") || conversation.source.hasPrefix("rest "), "\(conversation.title)")
    }
  }

  @Test("every conversation has the scripted messages, over a live server")
  func liveServer() async throws {
    try await TestServer.with(mode: .dev, isEmulator: true, ioThreadCount: 1) { test in
      for (file, conversations) in Self.files {
        for (number, conversation) in conversations.enumerated() where conversation.isLive {
          let name = file.prefix { $0 != "." }
          let environment = LiveConversationEnvironment(test, namespace: "\(name)-\(number)")
          Self.play(conversation, of: file, "live") {
            try environment.prepare(conversation)
            return environment
          }
        }
      }
    }
  }

  @Test("every conversation over sockets has the scripted messages, over long polling")
  func longPolling() async throws {
    try await TestServer.with(mode: .dev, isEmulator: true, ioThreadCount: 1) { test in
      for (file, conversations) in Self.files {
        for (number, conversation) in conversations.enumerated() where conversation.isLive && conversation.canBePolled {
          let name = file.prefix { $0 != "." }
          let environment = LiveConversationEnvironment(test, namespace: "\(name)-\(number)", polls: true)
          Self.play(conversation, of: file, "polls") {
            try environment.prepare(conversation)
            return environment
          }
        }
      }
    }
  }

  @Test("every conversation over sockets has the scripted messages, with an engine alone")
  func engine() {
    for (file, conversations) in Self.files {
      for conversation in conversations where conversation.isSocketOnly {
        Self.play(conversation, of: file, "engine") {
          let environment = EngineConversationEnvironment()
          try environment.prepare(conversation)
          return environment
        }
      }
    }
  }

  @Test("every conversation over sockets has the scripted messages, with a database in this process")
  func database() {
    for (file, conversations) in Self.files {
      for conversation in conversations where conversation.isSocketOnly && conversation.isLive {
        let environment = DatabaseConversationEnvironment()
        defer { environment.close() }
        Self.play(conversation, of: file, "database") {
          try environment.prepare(conversation)
          return environment
        }
      }
    }
  }

  private static func play(
    _ conversation: Conversation, of file: String, _ kind: String,
    _ environment: () throws -> any ConversationEnvironment
  ) {
    do {
      try ConversationPlayer.play(conversation, in: try environment())
    } catch {
      Issue.record("\(kind), \(file): \(conversation.title)\n\(error)")
    }
  }
}
