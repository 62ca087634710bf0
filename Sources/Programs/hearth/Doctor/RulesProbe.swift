import Dispatch
import HearthDoctor
import HearthExposure
import HearthProgram
import HearthRules
import HearthTree
import HearthWire

/// The proof of each database's rules, for clients without rights of their own.
struct RulesProbe {
  let http: HTTPClient
  /// The earliest time of a request.
  let nowMilliseconds: Int64

  /// The rules file of the folder's last run, which databases without rules of their own use and the folder alone does
  /// not contain; nil when a server answers.
  var sharedRules: String?

  /// The maximum number of examined databases, because proofs take time.
  private static let databasesMax = 100

  func findings() async throws -> [Finding] {
    let names = try await get("/.inspect/databases.json").array?.compactMap { $0["name"]?.string } ?? []
    var findings: [Finding] = []
    for name in names.prefix(Self.databasesMax) where Namespace.isValid(name) {
      findings += try await self.findings(of: name)
    }
    if names.count > Self.databasesMax {
      findings.append(
        Finding(unchecked: "rules-world-writable", "\(names.count - Self.databasesMax) of \(names.count) databases"))
    }
    return findings
  }

  private func findings(of name: String) async throws -> [Finding] {
    let answer = try await http.send(method: .GET, target: "/.settings/rules.json?ns=\(name)", body: nil)
    guard answer.status == 200 else {
      throw AdminFailure(answer: JSON(parsing: answer.body), status: answer.status, place: "the database \(name)")
    }
    var text = String(decoding: answer.body, as: UTF8.self)
    if let sharedRules, text == RuleSet.denyAll.source {
      // Rules in another language need a plugin.
      guard let read = try? TextFile.read(sharedRules), (try? RuleSet.compile(read)) != nil else {
        return [Finding(unchecked: "rules-world-writable", "\(name) uses \(sharedRules), which contains no rules")]
      }
      text = read
    }
    do {
      let rules = try RuleSet.compile(text, keepsExpressions: true)
      return await Self.proved(name, rules, nowMilliseconds)
    } catch {
      return [RulesCheck.unreadable(database: name, "\(error)")]
    }
  }

  private func get(_ target: String) async throws -> JSON {
    let answer = try await http.send(method: .GET, target: target, body: nil)
    guard answer.status == 200, let json = JSON(parsing: answer.body) else {
      throw AdminFailure(
        answer: JSON(parsing: answer.body), status: answer.status, place: "the server on \(http.place)")
    }
    return json
  }

  /// Proves a database's rules. It takes seconds of a core, in a server too, so it must not run on a shared thread.
  private static func proved(_ name: String, _ rules: RuleSet, _ nowMilliseconds: Int64) async -> [Finding] {
    await withCheckedContinuation { done in
      DispatchQueue.global(qos: .utility).async {
        done.resume(
          returning: check(name, Exposure(withoutCustomClaims: rules, nowMilliseconds: nowMilliseconds)).findings)
      }
    }
  }

  private static func check(_ name: String, _ exposure: Exposure) -> RulesCheck {
    var (openings, undecided) = ([RulesCheck.Opening](), 0)
    let entries = exposure.entries()
    // Where a path names its owner, strangers are the users other than that owner.
    let owned = Set(entries.filter { $0.question.identity == .otherUser }.map { Self.place($0) })
    for entry in entries {
      let question = entry.question
      guard question.identity != .signedIn || !owned.contains(Self.place(entry)) else { continue }
      switch entry.verdict {
      case .closed: continue
      case .undecided: undecided += 1
      case .open:
        let opening = RulesCheck.Opening(
          requiresSignIn: question.identity != .signedOut, isWrite: question.operation == .write,
          path: question.location.template)
        // Access without sign-in implies access with it.
        let isImplied = openings.contains {
          $0.path == opening.path && $0.isWrite == opening.isWrite && !$0.requiresSignIn
        }
        if !isImplied { openings.append(opening) }
      }
    }
    return RulesCheck(database: name, openings: openings, undecidedCount: undecided)
  }

  private static func place(_ entry: Exposure.Entry) -> String {
    "\(entry.question.operation.rawValue) \(entry.question.location.template)"
  }
}
