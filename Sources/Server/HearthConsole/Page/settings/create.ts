import { saveText } from "../data/export";
import { App } from "../shell/app";
import { Json } from "../tree/node";

export async function createDatabase(app: App, name: string): Promise<void> {
  await app.session.api.requestAdministration("POST", ".settings/databases.json", { name });
  app.notices.show(`${name} is there.`);
}

/** Makes a service account and downloads its key as a file, once: the server keeps only the public key. */
export async function createServiceAccount(app: App, name: string): Promise<void> {
  const made = await app.session.api.requestAdministration<{ email: string; key: Json }>("POST", "hearth/v1/serviceAccounts:create", { name });
  saveText(name, JSON.stringify(made.key, null, 2) + "\n");
  app.notices.show(`${made.email} is there. Its key was saved as a file, and is shown nowhere again.`);
}
