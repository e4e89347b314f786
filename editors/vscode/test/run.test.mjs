import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { isSafe, pageOf, titleOf } from "../out/test/run.mjs";

test("answers of the server", () => {
  assert.equal(pageOf({ uri: "file:///tmp/a.html" }), "file:///tmp/a.html");
  for (const other of [null, undefined, "file:///x", {}, { uri: null }, { uri: 3 }]) {
    assert.equal(pageOf(other), undefined);
  }
  assert.equal(titleOf(["file:///a/m.pml", "entry"]), "Run of entry");
  assert.equal(titleOf(["file:///a/my%20model.pml"]), "Run of my model.pml");
  assert.equal(titleOf([]), "Run");
});

test("a page without a policy is not shown", () => {
  assert.equal(isSafe("<html><script>alert(1)</script>"), false);
  assert.equal(isSafe(`<meta http-equiv="Content-Security-Policy" content="default-src *">`), false);
});

test("the report of the command is shown", { skip: !process.env.EVENHAND_BIN && "no EVENHAND_BIN" }, () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "evenhand-vscode-"));
  const page = path.join(folder, "run.html");
  const model = path.join(import.meta.dirname, "../../../models/promela/semaphore.pml");
  const args = ["check", model, "-p", "entry", "--no-fairness", "-q", "--report", page];
  assert.throws(() => execFileSync(process.env.EVENHAND_BIN, args), { status: 1 });
  assert.equal(isSafe(fs.readFileSync(page, "utf8")), true);
  fs.rmSync(folder, { recursive: true });
});
