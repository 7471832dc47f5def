// The client: starts `fabc lsp` and hands over what the editor asks.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
    const command = workspace.getConfiguration("fabc").get("path");
    client = new LanguageClient(
        "fabc",
        { command, args: ["lsp"] },
        {
            documentSelector: [{ scheme: "file", language: "fab" }],
            synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.fab") },
        },
    );
    return client.start();
};

exports.deactivate = () => client?.stop();
