// ScriptDocument is a script that an editor has open, alone in its workspace or with others, for tests of answers about
// it.
#pragma once

#include <string>
#include <string_view>

#include "devtools/lsp/feature.h"

namespace pelorus::testing {

class ScriptDocument {
public:
    // Opens the script. The cursor is at its first |, if it has one.
    explicit ScriptDocument(std::string text) : cursor_(text.find('|')) {
        if (cursor_ != std::string::npos) text.erase(cursor_, 1);
        workspace.setReadsFiles(false);
        workspace.open(kUri, std::move(text), 1);
    }
    // Opens another script of the workspace.
    ScriptDocument& withOther(const std::string& uri, std::string text) {
        workspace.analysisOf(workspace.open(uri, std::move(text), 1));
        return *this;
    }

    DocumentView view() {
        Workspace::Document& document = *workspace.find(kUri);
        return {workspace, document, workspace.analysisOf(document), {}};
    }
    // Returns the parameters of a request about the position of the cursor.
    Json here() { return {{"position", view().positionOf(cursor_)}}; }
    // Returns the source text of a range of an answer.
    std::string textOf(const Json& range) {
        const DocumentView seen = view();
        const size_t begin = seen.offsetOf(range.at("start")), end = seen.offsetOf(range.at("end"));
        return seen.document.text.text().substr(begin, end - begin);
    }

    static constexpr const char* kUri = "file:///scripts/own.dos";
    Workspace workspace;

private:
    size_t cursor_;
};

}  // namespace pelorus::testing
