// Where the evenhand command is: as the settings say, on the PATH, or where Cargo puts it.

import * as path from "node:path";

export interface Machine {
  platform: string;
  home: string;
  env: Record<string, string | undefined>;
  isFile(path: string): boolean;
}

/** The command, or none if there is none; a setting that names no file is a mistake, not a wish to search. */
export function findBinary(setting: string, machine: Machine): string | undefined {
  const { join, isAbsolute, delimiter } = machine.platform === "win32" ? path.win32 : path.posix;
  const name = machine.platform === "win32" ? "evenhand.exe" : "evenhand";
  const wanted = setting.trim().replace(/^~(?=[/\\]|$)/, machine.home);
  if (wanted !== "" && (isAbsolute(wanted) || /[/\\]/.test(wanted))) {
    return machine.isFile(wanted) ? wanted : undefined;
  }
  const folders = (machine.env.PATH ?? machine.env.Path ?? "").split(delimiter).filter((folder) => folder !== "");
  if (wanted === "") {
    folders.push(join(machine.env.CARGO_HOME ?? join(machine.home, ".cargo"), "bin"));
  }
  return folders.map((folder) => join(folder, wanted || name)).find((file) => machine.isFile(file));
}
