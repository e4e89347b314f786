// Starts the language server and shows the runs that it finds.

import * as fs from "node:fs";
import * as os from "node:os";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { findBinary } from "./binary";
import { completed, type Configuration } from "./debug";
import { isSafe, pageOf, titleOf } from "./run";

const LANGUAGES = ["promela", "smv", "tla", "maria", "pnml"];
const REPORT = "evenhand.report";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("evenhand.checkAll", () => run("evenhand.check")),
    vscode.commands.registerCommand("evenhand.cancelAll", () => run("evenhand.cancel")),
    vscode.commands.registerCommand("evenhand.restart", restart),
    vscode.debug.registerDebugConfigurationProvider("evenhand", { resolveDebugConfiguration: debugged }),
    vscode.debug.registerDebugAdapterDescriptorFactory("evenhand", {
      createDebugAdapterDescriptor: async () => {
        const command = await binary();
        return command === undefined ? undefined : new vscode.DebugAdapterExecutable(command, ["dap"]);
      },
    }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("evenhand.path")) {
        await restart();
      }
    }),
  );
  await restart();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("evenhand");
}

/** The evenhand command; who has none is asked to set one. */
async function binary(): Promise<string | undefined> {
  const command = findBinary(settings().get("path", ""), {
    platform: process.platform,
    home: os.homedir(),
    env: process.env,
    isFile: (file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false,
  });
  if (command === undefined) {
    const open = "Open Settings";
    const message = "The evenhand command was not found. Install it with Cargo, or set evenhand.path.";
    if ((await vscode.window.showErrorMessage(message, open)) === open) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "evenhand.path");
    }
  }
  return command;
}

async function restart(): Promise<void> {
  await client?.stop();
  client = undefined;
  const command = await binary();
  if (command === undefined) {
    return;
  }
  client = new LanguageClient(
    "evenhand",
    "Evenhand",
    { command, args: ["lsp"] },
    {
      documentSelector: LANGUAGES.map((language) => ({ language })),
      initializationOptions: { ...settings(), showsRuns: true },
      synchronize: { configurationSection: "evenhand" },
      middleware: {
        executeCommand: async (name, args, next) => {
          const answer: unknown = await next(name, args);
          if (name === REPORT) {
            await show(pageOf(answer), titleOf(args));
          }
          return answer;
        },
      },
    },
  );
  await client.start();
}

/** What is stepped through: the model in front, where nothing else is said. */
async function debugged(
  _: vscode.WorkspaceFolder | undefined,
  wanted: vscode.DebugConfiguration,
): Promise<vscode.DebugConfiguration | undefined> {
  const front = vscode.window.activeTextEditor?.document;
  const file = front !== undefined && LANGUAGES.includes(front.languageId) ? front.fileName : undefined;
  const whole = completed(wanted as Configuration, file, (name) => settings().get(name));
  if (whole === undefined) {
    await vscode.window.showErrorMessage("There is no model in front: open one, or name it as \"program\".");
  }
  return whole as vscode.DebugConfiguration | undefined;
}

/** Runs a command of the server on the text in front. */
async function run(name: string): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document !== undefined && LANGUAGES.includes(document.languageId)) {
    await vscode.commands.executeCommand(name, document.uri.toString());
  }
}

/** Shows the page of a run beside the text. */
async function show(address: string | undefined, title: string): Promise<void> {
  if (address === undefined) {
    return;
  }
  const html = await fs.promises.readFile(vscode.Uri.parse(address).fsPath, "utf8");
  if (!isSafe(html)) {
    await vscode.window.showErrorMessage("The page of the run has no policy, so it is not shown.");
    return;
  }
  const panel = vscode.window.createWebviewPanel("evenhand.run", title, vscode.ViewColumn.Beside, {
    enableScripts: true,
    localResourceRoots: [],
    retainContextWhenHidden: true,
  });
  panel.webview.html = html;
}
