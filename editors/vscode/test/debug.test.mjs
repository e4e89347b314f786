import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import { completed } from "../out/test/debug.mjs";

const settings = { limitSeconds: 5, defines: { N: 3 } };
const setting = (name) => settings[name];

test("without a configuration the model in front is taken", () => {
  const whole = completed({}, "/models/a.pml", setting);
  assert.equal(whole.type, "evenhand");
  assert.equal(whole.request, "launch");
  assert.equal(whole.program, "/models/a.pml");
  assert.equal(whole.limitSeconds, 5);
  assert.deepEqual(whole.defines, { N: 3 });
});

test("what is said stays as it is said", () => {
  const said = { type: "evenhand", request: "launch", name: "x", program: "b.smv", limitSeconds: 1 };
  const whole = completed(said, "/models/a.pml", setting);
  assert.equal(whole.program, "b.smv");
  assert.equal(whole.limitSeconds, 1);
  assert.equal(completed({}, undefined, setting), undefined);
});

test("the manifest describes what the adapter reads", () => {
  const manifest = JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const [debugging] = manifest.contributes.debuggers;
  assert.equal(debugging.type, "evenhand");
  const known = Object.keys(debugging.configurationAttributes.launch.properties);
  const launch = new URL("../../../crates/lsp/src/debug/launch.rs", import.meta.url);
  const source = fs.readFileSync(launch, "utf8");
  const fields = source.slice(source.indexOf("struct Wanted"), source.indexOf("impl Default for Wanted"));
  const read = [...fields.matchAll(/^    (\w+): /gm)].map(([, name]) =>
    name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()),
  );
  assert.ok(read.length > 5, "the fields are found");
  for (const name of read) {
    assert.ok(known.includes(name), `${name} is read, and not described`);
  }
  const languages = manifest.contributes.languages.map((language) => language.id).sort();
  assert.deepEqual([...debugging.languages].sort(), languages);
  assert.deepEqual(manifest.contributes.breakpoints.map((one) => one.language).sort(), languages);
});
