#include "devtools/lsp/semantic_tokens.h"

#include <algorithm>

#include "devtools/editing/highlight.h"
#include "runtime/registry/registry.h"

namespace pelorus {

namespace {

enum Kind : uint8_t { Keyword, Function, String, Number, Comment, Variable, Parameter, Property, Class, Method, None };
constexpr const char* kKinds[] = {"keyword",  "function",  "string",   "number", "comment",
                                  "variable", "parameter", "property", "class",  "method"};
constexpr int kDefinition = 1, kBuiltin = 2, kReadonly = 4;

Kind kindOf(TextStyle style) {
    switch (style) {
        case TextStyle::Keyword:
            return Keyword;
        case TextStyle::Function:
            return Function;
        case TextStyle::String:
        case TextStyle::Symbol:
            return String;
        case TextStyle::Number:
            return Number;
        case TextStyle::Comment:
            return Comment;
        default:
            return None;
    }
}

Kind kindOf(SymbolKind kind) {
    switch (kind) {
        case SymbolKind::Parameter:
            return Parameter;
        case SymbolKind::Function:
            return Function;
        case SymbolKind::Class:
            return Class;
        case SymbolKind::Method:
            return Method;
        default:
            return Variable;
    }
}

class Tokens {
public:
    Tokens(const DocumentView& view, int64_t first, int64_t end)
        : view_(view), text_(view.analysis->text()), first_(first), end_(end) {}

    Json run() {
        // Lexical styles by the byte; names by their meaning.
        const Highlighting highlighting = highlight(text_, text_.size(), SessionNames());
        const auto& occurrences = view_.analysis->occurrences();
        size_t at = 0, next = 0;
        while (at < text_.size()) {
            while (next < occurrences.size() && occurrences[next].place.begin < at) ++next;
            if (next < occurrences.size() && occurrences[next].place.begin == at) {
                const NameOccurrence& occurrence = occurrences[next];
                addName(occurrence);
                at = std::max(occurrence.place.end, at + 1);
                continue;
            }
            const size_t limit = next < occurrences.size() ? occurrences[next].place.begin : text_.size();
            size_t run = at + 1;
            while (run < limit && highlighting.styles[run] == highlighting.styles[at]) ++run;
            const Kind kind = kindOf(highlighting.styles[at]);
            if (kind != None) add({at, run}, kind, 0);
            at = run;
        }
        return {{"data", std::move(data_)}};
    }

private:
    void addName(const NameOccurrence& occurrence) {
        if (occurrence.isColumn) return add(occurrence.place, Property, 0);
        if (occurrence.symbol >= 0) {
            const ScriptSymbol& symbol = view_.analysis->symbols()[static_cast<size_t>(occurrence.symbol)];
            const bool isDefinition = symbol.definition.begin == occurrence.place.begin;
            const bool isLambda = !symbol.signature.empty() && symbol.kind == SymbolKind::Variable;
            return add(occurrence.place, isLambda ? Function : kindOf(symbol.kind),
                       (isDefinition ? kDefinition : 0) | (symbol.kind == SymbolKind::Constant ? kReadonly : 0));
        }
        const BuiltinFunction* builtin = FunctionRegistry::instance().find(view_.analysis->textOf(occurrence.place));
        if (builtin && (occurrence.isCall || !occurrence.mayBeColumn)) return add(occurrence.place, Function, kBuiltin);
        if (occurrence.isCall) return add(occurrence.place, Function, 0);
        add(occurrence.place, occurrence.mayBeColumn ? Property : Variable, 0);
    }

    // A token of several lines is one of each line.
    void add(TextRange range, Kind kind, int modifiers) {
        const LineOffsets& lines = view_.document.text.lines();
        for (size_t begin = range.begin; begin < range.end;) {
            size_t end = std::min(text_.find('\n', begin), range.end);
            const size_t nextLine = end + 1;
            if (end > begin && text_[end - 1] == '\r') --end;
            const PositionEncoding encoding = view_.workspace.encoding();
            const EditorPosition position = lines.positionAt(text_, begin, encoding);
            const int64_t length = unitsOf(std::string_view(text_).substr(begin, end - begin), encoding);
            if (length > 0 && position.line >= first_ && position.line < end_) {
                const int64_t lineDelta = position.line - last_.line;
                for (const int64_t number :
                     {lineDelta, lineDelta == 0 ? position.character - last_.character : position.character, length,
                      static_cast<int64_t>(kind), static_cast<int64_t>(modifiers)}) {
                    data_.push_back(number);
                }
                last_ = position;
            }
            begin = nextLine;
        }
    }

    const DocumentView& view_;
    const std::string& text_;
    int64_t first_, end_;
    EditorPosition last_;
    Json data_ = Json::array();
};

}  // namespace

Json semanticTokensLegend() {
    return {{"tokenTypes", kKinds}, {"tokenModifiers", {"definition", "defaultLibrary", "readonly"}}};
}

Json semanticTokens(const DocumentView& view, int64_t first, int64_t end) {
    return Tokens(view, first, end).run();
}

}  // namespace pelorus
