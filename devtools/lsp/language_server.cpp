#include "devtools/lsp/language_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "common/error.h"
#include "common/outside_json.h"
#include "devtools/formatter/format_script.h"
#include "devtools/lsp/completion_feature.h"
#include "devtools/lsp/diagnostics.h"
#include "devtools/lsp/feature.h"
#include "devtools/lsp/message_stream.h"
#include "devtools/lsp/navigation.h"
#include "devtools/lsp/outline.h"
#include "devtools/lsp/semantic_tokens.h"

namespace pelorus {

namespace {

constexpr size_t kMaxDocuments = 2000;
constexpr int kIndexSliceMillis = 10;

const char* nameOf(PositionEncoding encoding) {
    switch (encoding) {
        case PositionEncoding::Utf8:
            return "utf-8";
        case PositionEncoding::Utf16:
            return "utf-16";
        case PositionEncoding::Utf32:
            return "utf-32";
    }
    return "utf-16";
}

// UTF-8 where the editor offers it, as that is what documents are kept in.
PositionEncoding chosenEncoding(const Json& parameters) {
    const Json* capabilities = findMember(parameters, "capabilities");
    const Json* general = capabilities ? findMember(*capabilities, "general") : nullptr;
    const Json* offered = general ? findMember(*general, "positionEncodings") : nullptr;
    if (!offered || !offered->is_array()) return PositionEncoding::Utf16;
    for (const PositionEncoding encoding : {PositionEncoding::Utf8, PositionEncoding::Utf32}) {
        if (std::find(offered->begin(), offered->end(), Json(nameOf(encoding))) != offered->end()) return encoding;
    }
    return PositionEncoding::Utf16;
}

Json capabilities(PositionEncoding encoding) {
    return {{"positionEncoding", nameOf(encoding)},
            {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
            {"completionProvider", {{"triggerCharacters", {".", "`", "\"", "/", ":"}}, {"resolveProvider", true}}},
            {"hoverProvider", true},
            {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
            {"definitionProvider", true},
            {"referencesProvider", true},
            {"documentHighlightProvider", true},
            {"documentSymbolProvider", true},
            {"workspaceSymbolProvider", true},
            {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
            {"documentFormattingProvider", true},
            {"documentRangeFormattingProvider", true},
            {"renameProvider", {{"prepareProvider", true}}},
            {"foldingRangeProvider", true},
            {"semanticTokensProvider", {{"legend", semanticTokensLegend()}, {"full", true}, {"range", true}}},
            {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}};
}

FormatOptions formatOptions(const Json& parameters) {
    FormatOptions options;
    const Json* given = findMember(parameters, "options");
    const Json* width = given ? findMember(*given, "tabSize") : nullptr;
    const Json* spaces = given ? findMember(*given, "insertSpaces") : nullptr;
    if (width && width->is_number_integer()) {
        options.indentWidth = static_cast<int>(std::clamp<int64_t>(width->get<int64_t>(), 1, 16));
    }
    if (spaces && spaces->is_boolean()) options.useTabs = !spaces->get<bool>();
    return options;
}

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

// Returns the edits that turn a source into the formatter's result: one for each run of lines that differ, so that
// the cursor and the marks of the editor stay. Empty lines that vanish end the comparison by lines: then the rest is
// one edit.
Json editsBetween(const DocumentView& view, const std::string& after, TextRange wanted) {
    const std::string& before = view.document.text.text();
    const auto a = linesOf(before), b = linesOf(after);
    Json edits = Json::array();
    const auto replace = [&](size_t from, size_t to, std::string text) {
        const bool isWanted = from < wanted.end && to > wanted.begin;
        if (isWanted) edits.push_back({{"range", view.rangeOf({from, to})}, {"newText", std::move(text)}});
    };
    if (a.size() == b.size()) {
        size_t at = 0;
        for (size_t i = 0; i < a.size(); ++i) {
            if (a[i] != b[i]) replace(at, at + a[i].size(), std::string(b[i]));
            at += a[i].size();
        }
        return edits;
    }
    size_t head = 0, tail = 0;
    while (head < std::min(a.size(), b.size()) && a[head] == b[head]) ++head;
    while (tail < std::min(a.size(), b.size()) - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    size_t begin = 0, end = before.size();
    std::string text;
    for (size_t i = 0; i < head; ++i) begin += a[i].size();
    for (size_t i = 0; i < tail; ++i) end -= a[a.size() - 1 - i].size();
    for (size_t i = head; i < b.size() - tail; ++i) text += b[i];
    replace(begin, end, std::move(text));
    return edits;
}

}  // namespace

class LanguageServer::Session {
public:
    Session(std::function<void(std::string)> send, LanguageServerOptions options)
        : send_(std::move(send)), workbench_(std::move(options.workbench)) {
        workspace_.setReadsFiles(options.readsFiles);
        workspace_.setSessionNames(std::move(options.sessionNames));
        using S = Session;
        requests_ = {{"initialize", &S::initialize},
                     {"shutdown", &S::shutdown},
                     {"textDocument/completion", &S::completion},
                     {"completionItem/resolve", &S::resolve},
                     {"textDocument/hover", &S::hover},
                     {"textDocument/signatureHelp", &S::signatureHelp},
                     {"textDocument/definition", &S::definition},
                     {"textDocument/references", &S::references},
                     {"textDocument/documentHighlight", &S::highlights},
                     {"textDocument/documentSymbol", &S::symbols},
                     {"workspace/symbol", &S::workspaceSymbol},
                     {"textDocument/codeAction", &S::actions},
                     {"textDocument/formatting", &S::formatting},
                     {"textDocument/rangeFormatting", &S::rangeFormatting},
                     {"textDocument/prepareRename", &S::renamePlace},
                     {"textDocument/rename", &S::rename},
                     {"textDocument/foldingRange", &S::folding},
                     {"textDocument/semanticTokens/full", &S::tokens},
                     {"textDocument/semanticTokens/range", &S::tokensOfRange}};
        notices_ = {{"textDocument/didOpen", &S::didOpen},
                    {"textDocument/didChange", &S::didChange},
                    {"textDocument/didClose", &S::didClose},
                    {"textDocument/didSave", &S::ignore},
                    {"workspace/didChangeWatchedFiles", &S::filesChanged},
                    {"workspace/didChangeWorkspaceFolders", &S::foldersChanged}};
    }

    void handle(std::string_view message) {
        Json json = parseJson(message);
        if (json.is_discarded()) return fail(nullptr, kParseError, "The message is not JSON.");
        const Json* method = findMember(json, "method");
        const Json* id = findMember(json, "id");
        if (!method || !method->is_string()) {
            // An answer to a request of ours, or nothing of the protocol.
            const bool isAnswer = id && (json.contains("result") || json.contains("error"));
            if (!isAnswer) fail(id ? *id : Json(), kInvalidRequest, "The message has no method.");
            return;
        }
        const std::string name = method->get<std::string>();
        const Json* given = findMember(json, "params");
        const Json parameters = given ? *given : Json::object();
        if (id) {
            answer(*id, name, parameters);
        } else {
            notice(name, parameters);
        }
    }

    void noteCancelled(std::string_view message) {
        if (message.find("$/cancelRequest") == std::string_view::npos) return;
        const Json json = parseJson(message);
        if (json.is_discarded() || !json.is_object() || json.value("method", Json()) != "$/cancelRequest") return;
        const Json* parameters = findMember(json, "params");
        const Json* id = parameters ? findMember(*parameters, "id") : nullptr;
        constexpr size_t kMaxCancelled = 1000;
        if (id && cancelled_.size() < kMaxCancelled) cancelled_.insert(id->dump());
    }

    bool work() {
        for (auto& [uri, document] : workspace_.documents()) {
            if (document.isPublished) continue;
            publish(document);
            return true;
        }
        if (!isReady_) return false;
        const bool hadMore = isIndexing_;
        isIndexing_ = workspace_.indexSome(kIndexSliceMillis);
        // Names may come from files that are known only now.
        if (hadMore && !isIndexing_) {
            for (auto& [uri, document] : workspace_.documents()) {
                document.touch();
            }
            return true;
        }
        return isIndexing_;
    }

    bool hasExited() const { return hasExited_; }
    int exitStatus() const { return isShutDown_ ? 0 : 1; }

private:
    using Request = Json (Session::*)(const Json&);
    using Notice = void (Session::*)(const Json&);

    void sendJson(const Json& json) { send_(json.dump(-1, ' ', false, Json::error_handler_t::replace)); }

    void fail(const Json& id, int code, const std::string& message) {
        sendJson({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
    }

    void answer(const Json& id, const std::string& method, const Json& parameters) {
        if (cancelled_.erase(id.dump()) > 0) return fail(id, kRequestCancelled, "Cancelled.");
        if (workbench_ && (method.starts_with("pelorus/") || method.starts_with("dap/")))
            return workbench_(id, method, parameters);
        const auto found = requests_.find(method);
        if (found == requests_.end()) return fail(id, kMethodNotFound, fmt::format("There is no method {}.", method));
        if (!isReady_ && method != "initialize" && method != "shutdown") {
            return fail(id, kNotInitialized, "The first request must be initialize.");
        }
        if (isShutDown_) return fail(id, kInvalidRequest, "The server was shut down.");
        try {
            Json result = (this->*found->second)(parameters);
            sendJson({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
        } catch (const RequestError& e) {
            fail(id, e.code, e.what());
        } catch (const Json::exception& e) {
            fail(id, kInvalidParams, e.what());
        } catch (const SystemError&) {
            throw;
        } catch (const std::exception& e) {
            fail(id, kInternalError, e.what());
        }
    }

    void notice(const std::string& method, const Json& parameters) {
        if (method == "exit") {
            hasExited_ = true;
            return;
        }
        const auto found = notices_.find(method);
        if (found == notices_.end() || !isReady_) return;
        try {
            (this->*found->second)(parameters);
        } catch (const SystemError&) {
            throw;
        } catch (const std::exception& e) {
            const std::string text = fmt::format("{}: {}", method, e.what());
            sendJson(
                {{"jsonrpc", "2.0"}, {"method", "window/logMessage"}, {"params", {{"type", 1}, {"message", text}}}});
        }
    }

    void publish(Workspace::Document& document) {
        document.isPublished = true;
        const DocumentView view = viewOf(document);
        Json diagnostics = diagnosticsOf(view);
        sendJson({{"jsonrpc", "2.0"},
                  {"method", "textDocument/publishDiagnostics"},
                  {"params",
                   {{"uri", document.uri}, {"version", document.version}, {"diagnostics", std::move(diagnostics)}}}});
        // Freed while nobody waits, which takes milliseconds; a large allocation then has the allocator sort the
        // hundred thousand pieces now, rather than at the next key.
        document.previous = nullptr;
        constexpr size_t kLargeBytes = 4 << 20;
        ::operator delete(::operator new(kLargeBytes));
    }

    DocumentView viewOf(Workspace::Document& document) {
        return {workspace_, document, workspace_.analysisOf(document), {}};
    }

    Workspace::Document& documentOf(const Json& parameters) {
        const std::string uri = stringMember(member(parameters, "textDocument"), "uri");
        Workspace::Document* document = workspace_.find(uri);
        if (!document) throw RequestError(kInvalidParams, fmt::format("The document {} is not open.", uri));
        return *document;
    }
    DocumentView view(const Json& parameters) { return viewOf(documentOf(parameters)); }

    // ---- requests

    Json initialize(const Json& parameters) {
        if (isReady_) throw RequestError(kInvalidRequest, "The server was initialized before.");
        workspace_.setEncoding(chosenEncoding(parameters));
        const Json* folders = findMember(parameters, "workspaceFolders");
        if (folders && folders->is_array()) {
            for (const Json& folder : *folders) workspace_.addFolder(stringMember(folder, "uri"));
        } else if (const Json* root = findMember(parameters, "rootUri"); root && root->is_string()) {
            workspace_.addFolder(root->get<std::string>());
        }
        isReady_ = true;
        return {{"capabilities", capabilities(workspace_.encoding())},
                {"serverInfo", {{"name", "pelorus"}, {"version", "0.1.0"}}}};
    }

    Json shutdown(const Json&) {
        isShutDown_ = true;
        return nullptr;
    }

    Json completion(const Json& p) { return completionsAt(viewForTyping(p), p); }
    Json resolve(const Json& p) { return resolveCompletion(p); }
    Json hover(const Json& p) { return hoverAt(viewWithModules(p), p); }
    Json signatureHelp(const Json& p) { return signatureHelpAt(viewForTyping(p), p); }
    Json definition(const Json& p) { return withIndex(p, definitionAt); }
    Json references(const Json& p) { return withIndex(p, referencesAt); }
    Json highlights(const Json& p) { return highlightsAt(view(p), p); }
    Json symbols(const Json& p) { return documentSymbols(view(p)); }
    Json actions(const Json& p) { return codeActions(view(p), p); }
    Json renamePlace(const Json& p) { return withIndex(p, prepareRename); }
    Json rename(const Json& p) { return withIndex(p, renameAt); }
    Json folding(const Json& p) { return foldingRanges(view(p)); }

    // A view of a document whose modules are known, if it names any.
    DocumentView viewWithModules(const Json& parameters) {
        DocumentView found = view(parameters);
        if (!isIndexing_ || (found.analysis->usedModules().empty())) return found;
        workspace_.indexAll();
        return view(parameters);
    }

    // A view by the last analysis while the change stays inside of one statement.
    DocumentView viewForTyping(const Json& parameters) {
        Workspace::Document& document = documentOf(parameters);
        const bool isBefore = !document.analysis && document.previous && !isIndexing_;
        if (!isBefore || !staysInStatement(document)) return viewWithModules(parameters);
        return {workspace_, document, document.previous, document.sincePrevious};
    }

    // No line, block, string or comment begins or ends by the change.
    static bool staysInStatement(const Workspace::Document& document) {
        const auto isInside = [](std::string_view text) {
            constexpr size_t kMaxBytes = 200;
            return text.size() <= kMaxBytes && text.find_first_of("\r\n;{}\"'/*@#") == std::string_view::npos;
        };
        const TextChange& change = document.sincePrevious;
        return isInside(std::string_view(document.text.text()).substr(change.begin, change.newEnd - change.begin)) &&
               isInside(document.previous->textOf({change.begin, change.oldEnd}));
    }

    // Answers that must know all files.
    template <class Answer>
    Json withIndex(const Json& parameters, const Answer& answer) {
        workspace_.indexAll();
        return answer(view(parameters), parameters);
    }

    Json workspaceSymbol(const Json& parameters) {
        for (auto& [uri, document] : workspace_.documents()) workspace_.analysisOf(document);
        workspace_.indexAll();
        return workspaceSymbols(workspace_, parameters);
    }

    Json tokens(const Json& p) { return semanticTokens(view(p), 0, INT64_MAX); }
    Json tokensOfRange(const Json& p) {
        const Json& range = member(p, "range");
        const EditorPosition begin = editorPosition(member(range, "start")), end = editorPosition(member(range, "end"));
        return semanticTokens(view(p), begin.line, end.line == INT64_MAX ? end.line : end.line + 1);
    }

    Json format(const DocumentView& document, const Json& parameters, TextRange wanted) {
        try {
            return editsBetween(document, formatScript(document.document.text.text(), formatOptions(parameters)),
                                wanted);
        } catch (const UserError& e) {
            throw RequestError(kRequestFailed, fmt::format("What does not parse is not formatted. {}", e.what()));
        }
    }
    Json formatting(const Json& p) {
        const DocumentView document = view(p);
        return format(document, p, {0, document.document.text.text().size() + 1});
    }
    Json rangeFormatting(const Json& p) {
        const DocumentView document = view(p);
        const Json& range = member(p, "range");
        return format(document, p,
                      {document.offsetOf(member(range, "start")), document.offsetOf(member(range, "end"))});
    }

    // ---- notices

    void ignore(const Json&) {}

    void didOpen(const Json& parameters) {
        const Json& document = member(parameters, "textDocument");
        const std::string uri = stringMember(document, "uri");
        if (workspace_.documents().size() >= kMaxDocuments && !workspace_.find(uri)) {
            throw RequestError(kRequestFailed, "Too many documents are open; close some.");
        }
        workspace_.open(uri, stringMember(document, "text"), integerMember(document, "version"));
    }

    void didChange(const Json& parameters) {
        Workspace::Document& document = documentOf(parameters);
        const Json& changes = member(parameters, "contentChanges");
        if (!changes.is_array()) throw RequestError(kInvalidParams, "contentChanges must be an array.");
        for (const Json& change : changes) {
            const std::string text = stringMember(change, "text");
            const Json* range = findMember(change, "range");
            if (!range) {
                document.text = TextDocument(text);
                document.touch();
                continue;
            }
            document.touch(document.text.replace(editorPosition(member(*range, "start")),
                                                 editorPosition(member(*range, "end")), text, workspace_.encoding()));
        }
        document.version = integerMember(member(parameters, "textDocument"), "version");
    }

    void didClose(const Json& parameters) {
        const std::string uri = documentOf(parameters).uri;
        workspace_.close(uri);
        sendJson({{"jsonrpc", "2.0"},
                  {"method", "textDocument/publishDiagnostics"},
                  {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
    }

    void filesChanged(const Json& parameters) {
        for (const Json& change : member(parameters, "changes")) workspace_.fileChanged(stringMember(change, "uri"));
        isIndexing_ = true;
    }

    void foldersChanged(const Json& parameters) {
        const Json& event = member(parameters, "event");
        for (const Json& folder : member(event, "removed")) workspace_.removeFolder(stringMember(folder, "uri"));
        for (const Json& folder : member(event, "added")) workspace_.addFolder(stringMember(folder, "uri"));
        isIndexing_ = true;
    }

    std::function<void(std::string)> send_;
    const std::function<void(const Json&, const std::string&, const Json&)> workbench_;
    std::unordered_map<std::string, Request> requests_;
    std::unordered_map<std::string, Notice> notices_;
    Workspace workspace_;
    std::set<std::string> cancelled_;
    bool isReady_ = false;
    bool isShutDown_ = false;
    bool hasExited_ = false;
    bool isIndexing_ = true;
};

LanguageServer::LanguageServer(std::function<void(std::string)> send, LanguageServerOptions options)
    : session_(std::make_unique<Session>(std::move(send), std::move(options))) {}

LanguageServer::~LanguageServer() = default;

void LanguageServer::handle(std::string_view message) {
    session_->handle(message);
}

void LanguageServer::noteCancelled(std::string_view message) {
    session_->noteCancelled(message);
}

bool LanguageServer::work() {
    return session_->work();
}

bool LanguageServer::hasExited() const {
    return session_->hasExited();
}

int LanguageServer::exitStatus() const {
    return session_->exitStatus();
}

int serveEditor(MessageStream& stream, LanguageServerOptions options) {
    LanguageServer server([&](std::string message) { stream.send(message); }, std::move(options));
    stream.watch([&](std::string_view message) { server.noteCancelled(message); });
    bool isOpen = true, hasWork = true, isQuiet = false;
    while (!server.hasExited()) {
        // An editor requests completions right after it reported a key: they precede other work.
        constexpr int kQuietMillis = 5;
        const int timeout = stream.hasMessage() ? 0 : !hasWork ? -1 : isQuiet ? 0 : kQuietMillis;
        if (isOpen) isOpen = stream.receive(timeout);
        if (const std::optional<std::string> message = stream.next()) {
            server.handle(*message);
            hasWork = true;
            isQuiet = false;
        } else if (!isOpen) {
            return 1;
        } else if (!isQuiet && hasWork) {
            isQuiet = true;
        } else {
            hasWork = server.work();
        }
    }
    return server.exitStatus();
}

}  // namespace pelorus
