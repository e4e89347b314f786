import assert from "node:assert/strict";
import test from "node:test";
import { findBinary } from "../out/test/binary.mjs";

const machine = (files, more = {}) => ({
  platform: "linux",
  home: "/home/me",
  env: { PATH: "/usr/bin::/opt/bin" },
  isFile: (file) => files.includes(file),
  ...more,
});

test("the setting comes first, and names a file or nothing", () => {
  const both = machine(["/here/evenhand", "/usr/bin/evenhand"]);
  assert.equal(findBinary("/here/evenhand", both), "/here/evenhand");
  assert.equal(findBinary("/gone/evenhand", both), undefined);
  assert.equal(findBinary("~/bin/evenhand", machine(["/home/me/bin/evenhand"])), "/home/me/bin/evenhand");
  assert.equal(findBinary("evenhand-dev", machine(["/opt/bin/evenhand-dev"])), "/opt/bin/evenhand-dev");
});

test("then the PATH, then Cargo's folder", () => {
  const cargo = "/home/me/.cargo/bin/evenhand";
  assert.equal(findBinary("", machine([cargo, "/opt/bin/evenhand"])), "/opt/bin/evenhand");
  assert.equal(findBinary("", machine([cargo])), cargo);
  const moved = machine(["/c/bin/evenhand"], { env: { CARGO_HOME: "/c" } });
  assert.equal(findBinary(" ", moved), "/c/bin/evenhand");
  assert.equal(findBinary("", machine([])), undefined);
});

test("Windows has its own names", () => {
  const windows = machine(["C:\\tools\\evenhand.exe"], {
    platform: "win32",
    home: "C:\\me",
    env: { Path: "C:\\win;C:\\tools" },
  });
  assert.equal(findBinary("", windows), "C:\\tools\\evenhand.exe");
});
