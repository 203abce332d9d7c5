#include "devtools/lsp/completion_feature.h"

#include <fmt/format.h>

#include <algorithm>

#include "devtools/editing/completion.h"
#include "devtools/editing/signature_at.h"
#include "devtools/lsp/function_markdown.h"
#include "devtools/lsp/script_names.h"

namespace pelorus {

namespace {

// Returns the protocol's CompletionItemKind.
int itemKind(CandidateKind kind) {
    switch (kind) {
        case CandidateKind::Name:
            return 6;  // Variable
        case CandidateKind::Table:
            return 22;  // Struct
        case CandidateKind::Member:
            return 5;  // Field
        case CandidateKind::Function:
            return 3;
        case CandidateKind::Parameter:
            return 10;  // Property
        case CandidateKind::Keyword:
            return 14;
        case CandidateKind::Database:
        case CandidateKind::File:
            return 17;  // File
    }
    return 1;
}

bool never() {
    return false;
}

// The part of a module's name between `use` and the cursor, when that is where it is.
bool isModulePlace(std::string_view line, std::string_view& prefix) {
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return false;
    line.remove_prefix(begin);
    if (!line.starts_with("use ")) return false;
    line.remove_prefix(4);
    const size_t word = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(word);
    const bool isName = std::all_of(line.begin(), line.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':';
    });
    prefix = line;
    return isName;
}

Json markdown(std::string text) {
    return {{"kind", "markdown"}, {"value", std::move(text)}};
}

}  // namespace

Json completionsAt(const DocumentView& view, const Json& parameters) {
    const ScriptAnalysis& analysis = *view.analysis;
    const DocumentView::Cursor at = view.cursorOf(member(parameters, "position"));
    const std::string_view text = view.document.text.text();
    const size_t place = at.now;
    const TextRange statement = at.statement;
    const ScriptNames names(analysis, at.place, view.workspace);
    const std::string_view part = text.substr(statement.begin, statement.end - statement.begin);
    const size_t cursor = place - statement.begin;

    Completion completion;
    std::string_view module;
    const size_t lineBegin = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;
    if (isModulePlace(text.substr(lineBegin, place - lineBegin), module)) {
        completion.begin = cursor - module.size();
        view.workspace.indexAll();
        for (const std::string& name : view.workspace.moduleNames()) {
            if (name.starts_with(module)) completion.candidates.push_back({name, name, CandidateKind::File});
        }
    } else {
        completion = completeAt(part, cursor, names, never);
    }
    const Json range = view.rangeOf({statement.begin + std::min(completion.begin, cursor), place});
    Json items = Json::array();
    for (size_t i = 0; i < completion.candidates.size(); ++i) {
        const Candidate& candidate = completion.candidates[i];
        Json item = {{"label", candidate.text},
                     {"kind", itemKind(candidate.kind)},
                     {"sortText", fmt::format("{:05}", i)},
                     {"textEdit", {{"range", range}, {"newText", candidate.text}}}};
        if (candidate.shown != candidate.text) item["detail"] = candidate.shown;
        if (candidate.kind == CandidateKind::Function) item["data"] = candidate.text;
        items.push_back(std::move(item));
    }
    return {{"isIncomplete", false}, {"items", std::move(items)}};
}

Json resolveCompletion(const Json& item) {
    Json resolved = item;
    const Json* name = findMember(item, "data");
    if (!name || !name->is_string()) return resolved;
    if (const BuiltinFunction* function = FunctionRegistry::instance().find(name->get<std::string>())) {
        resolved["documentation"] = markdown(shortMarkdownOf(*function));
    }
    return resolved;
}

Json signatureHelpAt(const DocumentView& view, const Json& parameters) {
    const ScriptAnalysis& analysis = *view.analysis;
    const DocumentView::Cursor at = view.cursorOf(member(parameters, "position"));
    const std::string_view text = view.document.text.text();
    std::vector<Token> tokens = scanTokens(text.substr(at.statement.begin, at.now - at.statement.begin));
    tokens.pop_back();
    const ScriptNames names(analysis, at.place, view.workspace);
    const SignatureAtCursor call = signatureAt(tokens, names);
    if (call.signature.empty()) return nullptr;
    Json labels = Json::array();
    for (const std::string& parameter : call.parameters) {
        const size_t begin = placeInSignature(call.signature, parameter);
        if (begin == std::string::npos) {
            labels.push_back({{"label", parameter}});
            continue;
        }
        const PositionEncoding encoding = view.workspace.encoding();
        const int64_t first = unitsOf(std::string_view(call.signature).substr(0, begin), encoding);
        labels.push_back({{"label", {first, first + unitsOf(parameter, encoding)}}});
    }
    if (!call.line.empty()) labels[call.active]["documentation"] = call.line;
    Json signature = {{"label", call.signature}, {"parameters", std::move(labels)}};
    const bool isOwn = analysis.resolve(call.function, analysis.scopeAt(at.place)) >= 0;
    const BuiltinFunction* builtin = isOwn ? nullptr : FunctionRegistry::instance().find(call.function);
    if (builtin) signature["documentation"] = std::string(builtin->doc().summary);
    return {
        {"signatures", Json::array({std::move(signature)})}, {"activeSignature", 0}, {"activeParameter", call.active}};
}

namespace {

const char* wordFor(SymbolKind kind) {
    switch (kind) {
        case SymbolKind::Variable:
            return "variable";
        case SymbolKind::Constant:
            return "constant";
        case SymbolKind::Parameter:
            return "parameter";
        case SymbolKind::Function:
            return "function";
        case SymbolKind::Class:
            return "class";
        case SymbolKind::Method:
            return "method";
        case SymbolKind::Shared:
            return "shared";
    }
    return "name";
}

std::string joined(const std::vector<std::string>& names) {
    constexpr size_t kMaxShown = 30;
    std::string text;
    for (size_t i = 0; i < names.size() && i < kMaxShown; ++i) text += (i > 0 ? ", `" : "`") + names[i] + "`";
    return names.size() > kMaxShown ? text + fmt::format(" and {} more", names.size() - kMaxShown) : text;
}

std::string aboutSymbol(const DocumentView& view, int index, size_t place) {
    const ScriptAnalysis& analysis = *view.analysis;
    const ScriptSymbol& symbol = analysis.symbols()[static_cast<size_t>(index)];
    const char* verb = symbol.isAggregate ? "defg " : symbol.kind == SymbolKind::Class ? "class " : "def ";
    const bool isCode =
        symbol.kind == SymbolKind::Function || symbol.kind == SymbolKind::Method || symbol.kind == SymbolKind::Class;
    std::string text = "```dos\n";
    text += isCode                     ? verb + symbol.signature
            : symbol.signature.empty() ? fmt::format("({}) {}", wordFor(symbol.kind), symbol.name)
                                       : symbol.signature;
    text += "\n```";
    if (!symbol.comment.empty()) text += "\n\n" + symbol.comment;
    const ValueShape* shape = analysis.shapeAt(index, place);
    if (!shape) return text;
    if (shape->isTable()) {
        text += "\n\nTable";
        if (!shape->database.empty()) text += fmt::format(" {} of {}", shape->table, shape->database);
        std::vector<std::string> columns = shape->members;
        if (columns.empty()) columns = view.workspace.columnsOf(shape->database, shape->table);
        if (!columns.empty()) text += " with the columns " + joined(columns);
    } else if (shape->form == ValueShape::Form::Dictionary) {
        text += "\n\nDictionary";
        if (!shape->members.empty()) text += " with the keys " + joined(shape->members);
    } else if (shape->form == ValueShape::Form::Database) {
        text += "\n\nDatabase " + shape->database;
    } else if (shape->form == ValueShape::Form::Instance) {
        text += "\n\nInstance of " + shape->className;
    }
    return text;
}

}  // namespace

Json hoverAt(const DocumentView& view, const Json& parameters) {
    const ScriptAnalysis& analysis = *view.analysis;
    const size_t place = view.offsetOf(member(parameters, "position"));
    const Token* token = analysis.tokenAt(place);
    if (!token) return nullptr;
    const auto begin = static_cast<size_t>(token->begin() - analysis.text().data());
    const TextRange range{begin, begin + token->source.size()};
    const NameOccurrence* occurrence = analysis.occurrenceAt(place);
    std::string text;
    if (occurrence && occurrence->symbol >= 0 && !occurrence->isColumn) {
        text = aboutSymbol(view, occurrence->symbol, range.end);
    } else if (token->kind == TokenKind::Identifier) {
        const std::string_view name = token->source;
        const Workspace::Found found = view.workspace.findUsed(analysis, name);
        const BuiltinFunction* builtin = FunctionRegistry::instance().find(name);
        if (occurrence && occurrence->isColumn) {
            text = fmt::format("```dos\n(column) {}\n```", name);
        } else if (found.symbol) {
            text = fmt::format("```dos\ndef {}\n```\n\n{}", found.symbol->signature, found.symbol->comment);
        } else if (builtin) {
            text = markdownOf(*builtin);
        }
    }
    if (text.empty()) return nullptr;
    return {{"contents", markdown(std::move(text))}, {"range", view.rangeOf(range)}};
}

}  // namespace pelorus
