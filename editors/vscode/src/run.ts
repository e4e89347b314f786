// The page of a run, as a web view shows it.

/** The address of the page that the server wrote, if its answer has one. */
export function pageOf(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("uri" in answer)) {
    return undefined;
  }
  return typeof answer.uri === "string" ? answer.uri : undefined;
}

/** The title of the view: the property, or the file. */
export function titleOf(args: readonly unknown[]): string {
  const [uri, property] = args;
  if (typeof property === "string") {
    return `Run of ${property}`;
  }
  const name = typeof uri === "string" ? decodeURIComponent(uri.split("/").pop() ?? "") : "";
  return name === "" ? "Run" : `Run of ${name}`;
}

/** A page may bring its own policy; one that does not, is not shown: nothing from outside is ever loaded. */
export function isSafe(html: string): boolean {
  const policy = /<meta[^>]+http-equiv="?Content-Security-Policy"?[^>]*content="([^"]*)"/i.exec(html)?.[1];
  return policy !== undefined && /default-src 'none'/.test(policy);
}
