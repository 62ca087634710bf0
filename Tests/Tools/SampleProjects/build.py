"""Compiles files of public sample apps unchanged against the modules that have the names of Firebase's SDK.

The projects are cloned at fixed commits into .build/samples; nothing of them is part of this repository. Files that need a user
interface or another product of Firebase are left out, and what the chosen files need of those is declared here."""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PLACES = "let DB_REF = Database.database().reference()\n" + "".join(
    f'let {name} = DB_REF.child("{name}")\n' for name in [
        "REF_USERS", "REF_TWEETS", "REF_USER_TWEETS", "REF_USER_FOLLOWERS", "REF_USER_FOLLOWING", "REF_TWEET_REPLIES",
        "REF_USER_LIKES", "REF_TWEET_LIKES", "REF_NOTIFICATIONS", "REF_USER_REPLIES", "REF_USER_USERNAMES", "USERS_REF",
        "TWEETS_REF", "USER_TWEETS_REF", "USER_FOLLOWERS_REF", "USER_FOLLOWING_REF", "TWEET_REPLIES_REF"])
UPLOAD = "enum UploadTweetConfiguration { case tweet, reply(Tweet) }\n"

# (project, commit, folder, files, declarations of files that are left out)
PROJECTS = [
    ("firebase/quickstart-ios", "e6583fb3d8c91c4dc2d0d0ca0be3f586ccf290e3",
     "database/DatabaseExampleSwiftUI/DatabaseExample/Shared/Models", ["Database+Extensions", "Post"], ""),
    ("notkevinvu/RemindMeApp", "4fe905ab6d8088ae78e2a5fd54dd36f14daa4e74", "RemindMe/Scenes/Home",
     ["Models/ReminderItem", "Models/User", "Services/FirebaseAuthenticationService",
      "Services/FirebaseObserverService"],
     "extension DateFormatter { func setDateStyleAndTimeZone(dateStyle: Style, timeZone: TimeZone) {} }\n"),
    ("RomanElfimov/TwitterApp", "41a9ddccc2560651a50984c40fffa093168d7d62", "TwitterApp",
     ["API/TweetService", "API/NotificationService", "Model/Notification", "Model/Tweet", "Model/TwitterUser"],
     PLACES + UPLOAD + "typealias DatabaseCompletion = ((Error?, DatabaseReference) -> Void)\n"
     "struct UserService {\n"
     "  static let shared = UserService()\n"
     "  func fetchUser(uid: String, completion: @escaping (TwitterUser) -> Void) {}\n"
     "}\n"),
    ("ArturDokhno/Twitter", "80e713339e27de4cf10eab84f39e400769428b10", "Twitter",
     ["API/TweetService", "API/UserService", "Model/Tweet", "Model/User"], PLACES + UPLOAD),
    ("b0dah/UdemyTwitter", "05982ef9998d22d323c5abfcc0ec8cdf0c184ce0", "UdemyTwitter",
     ["API/TweetService", "API/UserService", "Model/Tweet", "Model/User"], PLACES + UPLOAD),
    ("hamid-hoseini/MyTikTokApp", "29765a5dfd60d5473317de03ad78e2f9b3f95d80", "MyTikTokApp/Managers", ["DatabaseManager"], ""),
]
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "samples", dependencies: [.package(name: "hearth", path: "{root}", traits: [])],
  targets: {names}.map {{
    .target(
      name: $0,
      dependencies: ["Firebase", "FirebaseAuth", "FirebaseCore", "FirebaseDatabase"].map {{ .product(name: $0, package: "hearth") }},
      swiftSettings: [.swiftLanguageMode(.v5)])
  }})
"""


def clone(project, commit, work, host):
    """Returns a clone of the project that has the commit."""
    folder = work / "clones" / project.replace("/", "+")
    if not folder.exists():
        subprocess.run(["git", "clone", "--quiet", "--filter=blob:none", "--bare", f"{host}/{project}", folder], check=True)
    subprocess.run(["git", "-C", folder, "cat-file", "-e", commit], check=True)
    return folder


def main():
    parser = argparse.ArgumentParser(prog="samples", description="Compile files of sample apps with Hearth's client.")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / ".build" / "samples", help="the folder for clones")
    parser.add_argument("--host", default="https://github.com", help="where projects are cloned from (%(default)s)")
    asked = parser.parse_args()
    names = []
    for project, commit, folder, files, declarations in PROJECTS:
        bare, name = clone(project, commit, asked.work, asked.host), "".join(filter(str.isalnum, project))
        names.append(name)
        sources = asked.work / "Sources" / name
        sources.mkdir(parents=True, exist_ok=True)
        for file in files:
            text = subprocess.run(
                ["git", "-C", bare, "show", f"{commit}:{folder}/{file}.swift"], check=True, capture_output=True).stdout
            (sources / f"{pathlib.Path(file).name}.swift").write_bytes(text)
        # Apps with a type User of their own name the module's.
        (sources / "LeftOut.swift").write_text(
            "import Firebase\nimport FirebaseAuth\ntypealias SignedInUser = FirebaseAuth.User\n" + declarations, encoding="utf-8")
    (asked.work / "Package.swift").write_text(
        MANIFEST.format(root=ROOT, names=str(names).replace("'", '"')), encoding="utf-8")
    done = subprocess.run(
        ["swift", "build", "--package-path", asked.work], env=os.environ | {"HEARTH_FIREBASE_MODULES": "1"}, check=False)
    if done.returncode == 0:
        print(f"{len(names)} projects compile: {', '.join(names)}")
    sys.exit(done.returncode)


main()
