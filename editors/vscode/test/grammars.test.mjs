// The grammars colour the repository's own models: what matters has its scope.

import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import test from "node:test";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const here = import.meta.dirname;
const { contributes } = JSON.parse(fs.readFileSync(path.join(here, "../package.json"), "utf8"));

const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
const onigLib = oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length)).then(() => ({
  createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
  createOnigString: (text) => new oniguruma.OnigString(text),
}));

const registry = new textmate.Registry({
  onigLib,
  loadGrammar: async (scope) => {
    const grammar = contributes.grammars.find((known) => known.scopeName === scope);
    const file = path.join(here, "..", grammar.path);
    return textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file);
  },
});

/** All tokens of a text: pairs of text and scopes. */
async function tokens(scope, text) {
  const grammar = await registry.loadGrammar(scope);
  let stack = textmate.INITIAL;
  const found = [];
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const token of tokens) {
      found.push([line.slice(token.startIndex, token.endIndex).trim(), token.scopes.join(" ")]);
    }
  }
  return { found, stack };
}

const EXPECTED = {
  "promela/semaphore.pml": [
    ["process", "entity.name.function"],
    ["byte", "storage.type"],
    ["od", "keyword.control"],
    ["strong", "keyword.other.fairness"],
    ["assert", "support.function"],
    ["entry", "entity.name.function"],
    ["<>", "keyword.operator.temporal"],
  ],
  "smv/lift.smv": [
    ["MODULE", "storage.type"],
    ["main", "entity.name.type"],
    ["case", "keyword.control"],
    ["LTLSPEC", "keyword.other.property"],
  ],
  "tla/Semaphore.tla": [
    ["Semaphore", "entity.name.type.module"],
    ["VARIABLES", "keyword.other"],
    ["Next", "entity.name.function"],
  ],
  "petri/line.pn": [
    ["place", "storage.type"],
    ["serve", "entity.name.function"],
    ["gate", "keyword.control"],
  ],
  "petri/semaphore.pnml": [
    ["place", "entity.name.tag"],
    ["id", "entity.other.attribute-name"],
  ],
};

for (const [model, expected] of Object.entries(EXPECTED)) {
  test(`${model} is coloured`, async () => {
    const ending = path.extname(model);
    const { id } = contributes.languages.find((language) => language.extensions.includes(ending));
    const { scopeName } = contributes.grammars.find((grammar) => grammar.language === id);
    const text = fs.readFileSync(path.join(here, "../../../models", model), "utf8");
    const { found, stack } = await tokens(scopeName, text);
    for (const [word, scope] of expected) {
      const same = found.filter(([text]) => text === word).map(([, scopes]) => scopes);
      assert.ok(same.some((scopes) => scopes.includes(scope)), `${word} as ${scope}, but ${same.join(" | ")}`);
    }
    assert.equal(stack.depth, 1, "nothing is open at the end");
  });
}

test("every language has a grammar, a configuration and endings of its own", () => {
  const endings = contributes.languages.flatMap((language) => language.extensions);
  assert.equal(new Set(endings).size, endings.length);
  for (const language of contributes.languages) {
    assert.ok(contributes.grammars.some((grammar) => grammar.language === language.id), language.id);
    JSON.parse(fs.readFileSync(path.join(here, "..", language.configuration), "utf8"));
  }
});
