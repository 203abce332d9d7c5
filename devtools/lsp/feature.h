// DocumentView is the input of each feature of the language server: a document, its analysis, and positions in the
// editor's units.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "devtools/lsp/workspace.h"

namespace pelorus {

using Json = nlohmann::json;

// The refusal of a request, with a code of the protocol. The editor shows the message to the user.
class RequestError : public std::runtime_error {
public:
    RequestError(int code, const std::string& message) : std::runtime_error(message), code(code) {}
    int code;
};
inline constexpr int kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602;
inline constexpr int kParseError = -32700, kInternalError = -32603, kNotInitialized = -32002;
inline constexpr int kRequestFailed = -32803, kRequestCancelled = -32800;

// A document while one request about it is answered. It refers to the workspace and the document.
struct DocumentView {
    Workspace& workspace;
    Workspace::Document& document;
    std::shared_ptr<const ScriptAnalysis> analysis;
    TextChange since;  // edits since the analysis; set for completion and signature help only

    // The statement at a position, in the analysis and in the current source.
    struct Cursor {
        size_t place = 0;       // offset in the analysed source text
        size_t now = 0;         // in the current source
        TextRange statement{};  // in the current source
    };
    Cursor cursorOf(const Json& position) const;

    size_t offsetOf(const Json& position) const;
    Json positionOf(size_t offset) const;
    Json rangeOf(TextRange range) const;
};

// Return a member of a message. They throw RequestError (kInvalidParams) when it is missing or of another kind.
const Json& member(const Json& object, const char* name);
std::string stringMember(const Json& object, const char* name);
int64_t integerMember(const Json& object, const char* name);
// Returns null when the member is missing or null.
const Json* findMember(const Json& object, const char* name);
EditorPosition editorPosition(const Json& position);

// Converts a range of a file that the editor does not have open.
Json rangeIn(std::string_view text, const LineOffsets& lines, TextRange range, PositionEncoding encoding);
Json positionJson(EditorPosition position);

}  // namespace pelorus
