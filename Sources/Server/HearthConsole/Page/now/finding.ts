export interface Finding {
  code: string;
  level: "error" | "warning";
  subject: string | null;
  title: string;
  text: string;
}
