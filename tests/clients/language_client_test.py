#!/usr/bin/env python3
"""Two unmodified clients of the language server protocol against `pelorus lsp`: PyPI pytest-lsp, which checks every answer against the types of the
specification and warns of what an editor did not ask for, with the capabilities of VS Code, Neovim and Emacs; and npm vscode-languageserver-protocol, the
library of VS Code (language_client.mjs), where `scripts/setup.sh --long` has put it.

    .venv/bin/python tests/clients/language_client_test.py [PELORUS]"""
import asyncio
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

PELORUS = str(Path(sys.argv[1] if len(sys.argv) > 1 else "build/release/pelorus").resolve())
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGES = Path(os.environ.get("PELORUS_LANGUAGE_CLIENT", ROOT / "build/clients/node_modules"))

try:
    from lsprotocol import types
    from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client
except ImportError:
    types = None

SCRIPT = """module demo
// Middle of two numbers.
def mid(a, b=1) {
    return (a + b) / 2
}
t = table(1 2 3 as id, `a`b`c as sym)
x = mid(3, 4)
r = select id, sym from t where id > 1
y = sqrtt(2)
z = (
"""


def place(line, character):
    return types.Position(line=line, character=character)


async def whole_session(editor):
    """Every request that the server offers, once."""
    client = make_test_lsp_client()
    await client.start_io(PELORUS, "lsp")
    with tempfile.TemporaryDirectory() as folder:
        uri = Path(folder, "demo.dos").resolve().as_uri()
        Path(folder, "demo.dos").write_text(SCRIPT)
        result = await client.initialize_session(types.InitializeParams(
            capabilities=client_capabilities(editor), workspace_folders=[types.WorkspaceFolder(uri=Path(folder).as_uri(), name="demo")],
            root_uri=Path(folder).as_uri(), process_id=os.getpid()))
        assert result.server_info.name == "pelorus"
        client.text_document_did_open(types.DidOpenTextDocumentParams(
            text_document=types.TextDocumentItem(uri=uri, language_id="dos", version=1, text=SCRIPT)))
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        found = client.diagnostics[uri]
        assert {d.code for d in found} == {"syntax", "unknown-name"}, found
        document = types.TextDocumentIdentifier(uri=uri)
        at = {"text_document": document, "position": place(6, 5)}
        items = await client.text_document_completion_async(types.CompletionParams(text_document=document, position=place(7, 12)))
        assert "id" in [item.label for item in items.items], items
        await client.completion_item_resolve_async(items.items[0])
        hover = await client.text_document_hover_async(types.HoverParams(**at))
        assert "Middle of two numbers." in hover.contents.value
        help_ = await client.text_document_signature_help_async(types.SignatureHelpParams(text_document=document, position=place(6, 11)))
        assert help_.active_parameter == 1 and help_.signatures[0].label == "mid(a, [b=1])"
        definition = await client.text_document_definition_async(types.DefinitionParams(**at))
        assert definition.range.start == place(2, 4)
        references = await client.text_document_references_async(types.ReferenceParams(**at, context=types.ReferenceContext(include_declaration=True)))
        assert len(references) == 2
        assert len(await client.text_document_document_highlight_async(types.DocumentHighlightParams(**at))) == 2
        symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(text_document=document))
        assert "mid" in [s.name for s in symbols]
        assert len(await client.workspace_symbol_async(types.WorkspaceSymbolParams(query="mid"))) == 1
        actions = await client.text_document_code_action_async(types.CodeActionParams(
            text_document=document, range=found[0].range, context=types.CodeActionContext(diagnostics=found)))
        assert any("sqrt" in action.title for action in actions), actions
        await client.text_document_prepare_rename_async(types.PrepareRenameParams(**at))
        edit = await client.text_document_rename_async(types.RenameParams(**at, new_name="middle"))
        assert len(edit.changes[uri]) == 2
        assert await client.text_document_folding_range_async(types.FoldingRangeParams(text_document=document))
        tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(text_document=document))
        assert len(tokens.data) % 5 == 0 and tokens.data
        part = await client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(
            text_document=document, range=types.Range(start=place(2, 0), end=place(3, 0))))
        assert 0 < len(part.data) < len(tokens.data)
        client.text_document_did_change(types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=2),
            content_changes=[types.TextDocumentContentChangePartial(range=types.Range(start=place(8, 0), end=place(10, 0)), text="y=1\n")]))
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        assert not client.diagnostics[uri], client.diagnostics[uri]
        edits = await client.text_document_formatting_async(types.DocumentFormattingParams(
            text_document=document, options=types.FormattingOptions(tab_size=4, insert_spaces=True)))
        assert [e.new_text for e in edits] == ["y = 1\n"], edits
        client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=document))
        await client.shutdown_session()


def run_node():
    node = ROOT / ".venv/bin/node"
    node = str(node) if node.exists() else "node"
    run = subprocess.run([node, HERE / "language_client.mjs", PACKAGES, PELORUS], capture_output=True, text=True, timeout=60)
    passed = sum(line.startswith("ok ") for line in run.stdout.splitlines())
    if run.returncode or not passed:
        print(run.stdout + run.stderr)
    return passed, run.returncode != 0 or not passed


def main():
    passed = failed = skipped = 0
    if types is None:
        print("SKIPPED: pytest-lsp is not there; scripts/setup.sh --python installs it")
        skipped += 1
    else:
        for editor in ("visual-studio-code", "neovim", "emacs"):
            try:
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    asyncio.run(asyncio.wait_for(whole_session(editor), 60))
                wrong = [str(w.message) for w in told if "LspSpecification" in w.category.__name__]
                assert not wrong, wrong
                passed += 1
            except Exception as fault:
                failed += 1
                print(f"FAILED {editor}: {type(fault).__name__} {fault}")
    if (PACKAGES / "vscode-languageserver-protocol").exists():
        ok, wrong = run_node()
        passed += ok
        failed += wrong
    else:
        print(f"SKIPPED: {PACKAGES}/vscode-languageserver-protocol is not there; scripts/setup.sh --long installs it")
        skipped += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
