#include "devtools/lsp/outline.h"

#include <algorithm>
#include <cctype>

namespace pelorus {

namespace {

// Returns the protocol's SymbolKind.
int symbolKind(SymbolKind kind) {
    switch (kind) {
        case SymbolKind::Function:
            return 12;
        case SymbolKind::Class:
            return 5;
        case SymbolKind::Method:
            return 6;
        case SymbolKind::Constant:
            return 14;
        case SymbolKind::Variable:
        case SymbolKind::Parameter:
        case SymbolKind::Shared:
            return 13;
    }
    return 13;
}

bool isInside(TextRange inner, TextRange outer) {
    return outer.begin <= inner.begin && inner.end <= outer.end;
}

bool matches(std::string_view name, std::string_view query) {
    size_t at = 0;
    for (const char c : name) {
        if (at < query.size() &&
            std::tolower(static_cast<unsigned char>(c)) == std::tolower(static_cast<unsigned char>(query[at])))
            ++at;
    }
    return at == query.size();
}

}  // namespace

Json documentSymbols(const DocumentView& view) {
    const auto& symbols = view.analysis->symbols();
    const auto entry = [&](const ScriptSymbol& symbol) {
        TextRange whole = symbol.whole;
        if (!isInside(symbol.definition, whole)) whole = symbol.definition;
        Json json = {{"name", symbol.name},
                     {"kind", symbolKind(symbol.kind)},
                     {"range", view.rangeOf(whole)},
                     {"selectionRange", view.rangeOf(symbol.definition)}};
        if (!symbol.signature.empty()) json["detail"] = symbol.signature;
        return json;
    };
    Json outline = Json::array();
    for (const ScriptSymbol& symbol : symbols) {
        if (symbol.scope != 0 || symbol.name.empty()) continue;
        Json json = entry(symbol);
        if (symbol.kind == SymbolKind::Class) {
            Json children = Json::array();
            for (const ScriptSymbol& child : symbols) {
                const bool isMember = child.kind == SymbolKind::Method && isInside(child.whole, symbol.whole);
                if (isMember) children.push_back(entry(child));
            }
            json["children"] = std::move(children);
        }
        outline.push_back(std::move(json));
    }
    return outline;
}

Json workspaceSymbols(const Workspace& workspace, const Json& parameters) {
    const std::string query = stringMember(parameters, "query");
    constexpr size_t kMaxSymbols = 500;
    std::vector<const std::string*> uris;
    for (const auto& [uri, file] : workspace.files()) uris.push_back(&uri);
    std::sort(uris.begin(), uris.end(), [](const auto* a, const auto* b) { return *a < *b; });
    Json found = Json::array();
    for (const std::string* uri : uris) {
        const FileSummary& file = workspace.files().at(*uri);
        for (const FileSymbol& symbol : file.symbols) {
            const bool isVariable = symbol.kind == SymbolKind::Variable || symbol.kind == SymbolKind::Constant;
            if (isVariable || !matches(symbol.name, query)) continue;
            if (found.size() >= kMaxSymbols) return found;
            Json json = {{"name", symbol.name},
                         {"kind", symbolKind(symbol.kind)},
                         {"location",
                          {{"uri", *uri},
                           {"range", {{"start", positionJson(symbol.begin)}, {"end", positionJson(symbol.end)}}}}}};
            if (!file.moduleName.empty()) json["containerName"] = file.moduleName;
            found.push_back(std::move(json));
        }
    }
    return found;
}

namespace {

class Folding {
public:
    explicit Folding(const DocumentView& view) : view_(view), text_(view.analysis->text()) {}

    Json run() {
        const auto& tokens = view_.analysis->script().tokens;
        std::vector<size_t> open;
        size_t end = 0;
        for (const Token& token : tokens) {
            const auto begin = static_cast<size_t>(token.begin() - text_.data());
            addComments(end, begin);
            end = begin + token.source.size();
            if (token.is("(") || token.is("[") || token.is("{")) open.push_back(begin);
            if ((token.is(")") || token.is("]") || token.is("}")) && !open.empty()) {
                // The line of the closing bracket stays in sight.
                add(open.back(), begin, 1, nullptr);
                open.pop_back();
            }
        }
        return std::move(ranges_);
    }

private:
    int64_t lineOf(size_t place) const { return view_.document.text.positionAt(place, PositionEncoding::Utf8).line; }

    void add(size_t begin, size_t end, int64_t linesLess, const char* kind) {
        const int64_t first = lineOf(begin), last = lineOf(end) - linesLess;
        if (last <= first || first == lastFirst_) return;
        lastFirst_ = kind ? lastFirst_ : first;
        Json range = {{"startLine", first}, {"endLine", last}};
        if (kind) range["kind"] = kind;
        ranges_.push_back(std::move(range));
    }

    // Block comments, and // on lines that follow one another.
    void addComments(size_t begin, size_t end) {
        const std::string_view gap = std::string_view(text_).substr(begin, end - begin);
        size_t at = gap.find('/');
        size_t runBegin = std::string_view::npos, runEnd = 0;
        const auto endRun = [&] {
            if (runBegin != std::string_view::npos) add(begin + runBegin, begin + runEnd, 0, "comment");
            runBegin = std::string_view::npos;
        };
        while (at != std::string_view::npos) {
            if (gap.substr(at).starts_with("/*")) {
                endRun();
                const size_t close = std::min(gap.find("*/", at + 2), gap.size());
                add(begin + at, begin + std::min(close, gap.size() - 1), 0, "comment");
                at = gap.find('/', std::min(close + 2, gap.size()));
                continue;
            }
            const size_t lineEnd = std::min(gap.find('\n', at), gap.size());
            const bool isNext = runBegin != std::string_view::npos && lineOf(begin + at) == lineOf(begin + runEnd) + 1;
            if (!isNext) endRun();
            if (runBegin == std::string_view::npos) runBegin = at;
            runEnd = lineEnd == at ? at : lineEnd - 1;
            at = gap.find('/', lineEnd);
        }
        endRun();
    }

    const DocumentView& view_;
    const std::string& text_;
    Json ranges_ = Json::array();
    int64_t lastFirst_ = -1;
};

}  // namespace

Json foldingRanges(const DocumentView& view) {
    return Folding(view).run();
}

}  // namespace pelorus
