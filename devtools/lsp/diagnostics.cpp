#include "devtools/lsp/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/code/statement.h"
#include "runtime/registry/name_advice.h"
#include "runtime/registry/registry.h"

namespace pelorus {

namespace {

enum Severity { kError = 1, kWarning = 2, kInformation = 3 };

std::string_view withoutHead(std::string_view message) {
    // "Syntax Error: [line #3] …": the editor shows the place.
    if (!message.starts_with("Syntax Error: [line #")) return message;
    const size_t end = message.find("] ");
    return end == std::string_view::npos ? message : message.substr(end + 2);
}

class Diagnoser {
public:
    explicit Diagnoser(const DocumentView& view)
        : view_(view), analysis_(*view.analysis), registry_(FunctionRegistry::instance()) {}

    Json run() {
        const RecoveredScript& script = analysis_.script();
        for (const SyntaxError& error : script.errors) addError(error);
        for (const ParserNote& note : script.notes) {
            add(rangeAt(note.position), kInformation, "note", std::string(withoutHead(note.text)), {});
        }
        if (!dependsOnOthers()) addUnknownNames();
        return std::move(all_);
    }

private:
    size_t offsetAt(SourcePosition position) const {
        const LineOffsets& lines = view_.document.text.lines();
        if (position.line < 1) return 0;
        const auto line = static_cast<size_t>(position.line) - 1;
        if (line >= lines.lineCount()) return analysis_.text().size();
        const size_t column = position.column > 0 ? static_cast<size_t>(position.column) - 1 : 0;
        return std::min(lines.lineBegin(line) + column, analysis_.text().size());
    }

    // Returns the token at a position; at the end of the source its last character.
    TextRange rangeAt(SourcePosition position) const {
        const size_t begin = offsetAt(position);
        const auto& tokens = analysis_.script().tokens;
        const char* at = analysis_.text().data() + begin;
        const auto token = std::lower_bound(tokens.begin(), tokens.end(), at,
                                            [](const Token& t, const char* p) { return t.begin() < p; });
        if (token == tokens.end() || token->begin() != at) return {begin, std::min(begin + 1, analysis_.text().size())};
        if (token->kind == TokenKind::End) {
            // The error is after the last word.
            const size_t last = analysis_.text().find_last_not_of(" \t\r\n");
            const size_t end = last == std::string::npos ? 0 : last + 1;
            return {end == 0 ? 0 : end - 1, end};
        }
        const size_t lineEnd = std::min(analysis_.text().find('\n', begin), analysis_.text().size());
        return {begin, std::min(begin + token->source.size(), std::max(lineEnd, begin + 1))};
    }

    void add(TextRange range, Severity severity, const char* code, std::string message, Json remedy) {
        if (all_.size() >= kMaxErrors) return;
        Json entry = {{"range", view_.rangeOf(range)},
                      {"severity", severity},
                      {"code", code},
                      {"source", "pelorus"},
                      {"message", std::move(message)}};
        if (!remedy.is_null()) entry["data"] = std::move(remedy);
        all_.push_back(std::move(entry));
    }

    // Returns a remedy: an edit with a title.
    Json edit(std::string title, TextRange range, std::string text) const {
        return {{"title", std::move(title)}, {"range", view_.rangeOf(range)}, {"newText", std::move(text)}};
    }

    void addError(const SyntaxError& error) {
        std::string message(withoutHead(error.what()));
        const TextRange range = rangeAt(error.position);
        Json remedies = Json::array();
        const std::string_view hint = error.hint();
        if (message.starts_with("Please use '=='") && analysis_.textOf(range) == "=") {
            remedies.push_back(edit("Compare with ==", range, "=="));
        } else if (const size_t close = hint.find("is open: close it with "); close != std::string_view::npos) {
            const std::string bracket(hint.substr(close + std::string_view("is open: close it with ").size(), 1));
            const size_t place = error.atEnd ? range.end : endBefore(range.begin);
            remedies.push_back(edit("Insert " + bracket, {place, place}, bracket));
        } else if (message.starts_with("The string that begins here")) {
            const std::string quote(analysis_.textOf({range.begin, range.begin + 1}));
            remedies.push_back(edit("Insert " + quote + " at the end of the line", {range.end, range.end}, quote));
        } else if (message.starts_with("The '{' that begins here")) {
            const size_t end = analysis_.text().size();
            const bool isLine = end == 0 || analysis_.text().back() == '\n';
            remedies.push_back(edit("Insert } at the end", {end, end}, isLine ? "}\n" : "\n}\n"));
        } else if (message.ends_with("is not part of the language.") && range.end > range.begin) {
            remedies.push_back(edit("Remove it", range, ""));
        }
        if (!hint.empty()) message += "\n" + std::string(hint);
        add(range, kError, "syntax", std::move(message), remedies.empty() ? Json() : std::move(remedies));
    }

    // Returns the end of the word before a place.
    size_t endBefore(size_t place) const {
        const size_t last = place == 0 ? std::string::npos : analysis_.text().find_last_not_of(" \t\r\n", place - 1);
        return last == std::string::npos ? 0 : last + 1;
    }

    // Returns whether names may come from code that is not known here.
    bool dependsOnOthers() const {
        for (const std::string& module : analysis_.usedModules()) {
            if (view_.workspace.filesOfModule(module).empty()) return true;
        }
        const auto& statements = analysis_.script().statements;
        const bool includes = std::any_of(statements.begin(), statements.end(),
                                          [](const NodeRef& s) { return s->kind == NodeKind::Include; });
        if (includes) return true;
        return std::any_of(analysis_.occurrences().begin(), analysis_.occurrences().end(), [&](const auto& o) {
            const std::string_view name = analysis_.textOf(o.place);
            return o.isCall && (name == "run" || name == "loadModule" || name == "loadPlugin" || name == "eval" ||
                                name == "runScript" || name == "addFunctionView");
        });
    }

    bool isInNamedFunction(int scope) const {
        for (int s = scope; s >= 0; s = analysis_.scopes()[static_cast<size_t>(s)].parent) {
            if (analysis_.scopes()[static_cast<size_t>(s)].isNamed) return true;
        }
        return false;
    }

    void addUnknownNames() {
        const std::shared_ptr<const SessionNames> session = view_.workspace.sessionNames();
        for (const NameOccurrence& occurrence : analysis_.occurrences()) {
            if (occurrence.symbol >= 0 || occurrence.isRefused || occurrence.mayBeColumn || occurrence.isWrite)
                continue;
            if (occurrence.isTable && !occurrence.isCall) continue;
            if (!occurrence.isCall && !isInNamedFunction(occurrence.scope)) continue;
            const std::string name(analysis_.textOf(occurrence.place));
            if (name.find("::") != std::string::npos || registry_.find(name)) continue;
            if (occurrence.isInQuery && isOfQueries(name)) continue;
            if (isMember(occurrence.place) || view_.workspace.findUsed(analysis_, name).symbol) continue;
            // A function that was defined by another script of the session.
            if (occurrence.isCall && session && session->kindOf(name) != NameKind::Unknown) continue;
            if (!occurrence.isCall && (view_.workspace.isShared(name) || name == "self")) continue;
            addUnknown(occurrence, name);
        }
    }

    // Functions that only a query has; the registry does not know them.
    static bool isOfQueries(std::string_view name) {
        constexpr std::string_view kNames[] = {"row_number", "rank",     "dense_rank", "percent_rank", "cume_dist",
                                               "ntile",      "lag",      "lead",       "first_value",  "last_value",
                                               "nth_value",  "interval", "roll"};
        return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
    }

    // x.f(): f may be a method.
    bool isMember(TextRange place) const {
        const size_t before = endBefore(place.begin);
        return before > 0 && analysis_.text()[before - 1] == '.';
    }

    void addUnknown(const NameOccurrence& occurrence, const std::string& name) {
        std::vector<std::string_view> known;
        for (const ScriptSymbol& symbol : analysis_.symbols()) {
            if (symbol.name != name) known.push_back(symbol.name);
        }
        const std::string advice =
            adviceForName(name, occurrence.isCall ? NameUse::Called : NameUse::Word, std::move(known));
        std::string message = occurrence.isCall ? fmt::format("No function {} is known here.", name)
                                                : fmt::format("{} is not defined in this function.", name);
        if (!advice.empty()) message += " " + advice;
        Json remedies = Json::array();
        const BuiltinFunction* sameWord = builtinOfAnyCase(name);
        if (sameWord) {
            remedies.push_back(
                edit(fmt::format("Change to {}", sameWord->name()), occurrence.place, std::string(sameWord->name())));
        } else {
            for (const std::string_view near : registry_.nearest(name)) {
                remedies.push_back(edit(fmt::format("Change to {}", near), occurrence.place, std::string(near)));
            }
        }
        add(occurrence.place, kWarning, "unknown-name", std::move(message),
            remedies.empty() ? Json() : std::move(remedies));
    }

    const DocumentView& view_;
    const ScriptAnalysis& analysis_;
    const FunctionRegistry& registry_;
    Json all_ = Json::array();
};

}  // namespace

Json diagnosticsOf(const DocumentView& view) {
    return Diagnoser(view).run();
}

Json codeActions(const DocumentView& view, const Json& parameters) {
    Json actions = Json::array();
    const Json& asked = member(member(parameters, "context"), "diagnostics");
    if (!asked.is_array()) return actions;
    constexpr size_t kMaxActions = 50;
    // Remedies are looked up anew: an editor may drop `data`, and the source may have changed.
    const Json current = diagnosticsOf(view);
    for (const Json& diagnostic : asked) {
        for (const Json& entry : current) {
            const Json* range = findMember(diagnostic, "range");
            const Json* code = findMember(diagnostic, "code");
            if (!range || !code || entry["range"] != *range || entry["code"] != *code || !entry.contains("data")) {
                continue;
            }
            bool isFirst = true;
            for (const Json& remedy : entry["data"]) {
                if (actions.size() >= kMaxActions) return actions;
                Json action = {{"title", remedy["title"]},
                               {"kind", "quickfix"},
                               {"diagnostics", Json::array({diagnostic})},
                               {"isPreferred", isFirst}};
                action["edit"]["changes"][view.document.uri] =
                    Json::array({{{"range", remedy["range"]}, {"newText", remedy["newText"]}}});
                actions.push_back(std::move(action));
                isFirst = false;
            }
        }
    }
    return actions;
}

}  // namespace pelorus
