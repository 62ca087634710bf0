import { authVariable } from "../api/identity";
import { Session } from "../state/session";
import { Identity } from "../state/route";
import { Credential, DatabaseConnection, SocketLike } from "../wire/databaseConnection";

/** Opens the socket of one database, as the administrator or as another identity. */
export function connect(session: Session, database: string, identity: Identity | null, changed: () => void): DatabaseConnection {
  const link = new DatabaseConnection(() => dial(database), () => credential(session, database, identity), changed);
  link.connect();
  return link;
}

function dial(database: string): SocketLike {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return new WebSocket(`${scheme}://${location.host}/.ws?v=5&ns=${encodeURIComponent(database)}`) as unknown as SocketLike;
}

async function credential(session: Session, database: string, identity: Identity | null): Promise<Credential> {
  const answer = await session.api.credential(database);
  const body: Record<string, unknown> = { cred: answer.credential };
  if (identity && "isSignedOut" in identity) body.noauth = true;
  else if (identity) body.authvar = authVariable(identity);
  return { body, expiresInSeconds: answer.expiresInSeconds };
}

export function identityName(identity: Identity): string {
  return "isSignedOut" in identity ? "a signed-out client" : identity.uid;
}
