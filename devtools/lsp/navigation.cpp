#include "devtools/lsp/navigation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interpreter/parser/keywords.h"
#include "interpreter/parser/lexer.h"

namespace pelorus {

namespace {

// A place in one of the documents.
struct Place {
    std::string uri;
    Json range;
    size_t begin = 0;
    bool isWrite = false;
};

// The name at a position, with what it means.
struct Target {
    const NameOccurrence* occurrence = nullptr;
    int symbol = -1;          // symbol of the document, or
    Workspace::Found module;  // a function of a module
};

// Words of a qualified name are not renamed: the module is a file's name.
std::string_view lastWord(std::string_view name) {
    const size_t colons = name.rfind("::");
    return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

Target targetAt(const DocumentView& view, const Json& parameters) {
    const size_t place = view.offsetOf(member(parameters, "position"));
    Target target;
    target.occurrence = view.analysis->occurrenceAt(place);
    if (!target.occurrence || target.occurrence->isColumn) return {};
    target.symbol = target.occurrence->symbol;
    if (target.symbol < 0) {
        target.module = view.workspace.findUsed(*view.analysis, view.analysis->textOf(target.occurrence->place));
    }
    return target;
}

std::vector<Place> placesOfSymbol(const DocumentView& view, int symbol) {
    std::vector<Place> places;
    for (const NameOccurrence& occurrence : view.analysis->occurrences()) {
        if (occurrence.symbol != symbol || occurrence.isColumn) continue;
        places.push_back(
            {view.document.uri, view.rangeOf(occurrence.place), occurrence.place.begin, occurrence.isWrite});
    }
    return places;
}

// The places of a module's function in the files that use the module.
void addPlacesInUsers(const DocumentView& view, const std::string& module, const std::string& function,
                      std::vector<Place>& places) {
    std::vector<std::string> uris;
    for (const auto& [uri, file] : view.workspace.files()) uris.push_back(uri);
    std::sort(uris.begin(), uris.end());
    const PositionEncoding encoding = view.workspace.encoding();
    for (const std::string& uri : uris) {
        const auto file = view.workspace.files().find(uri);
        if (file == view.workspace.files().end()) continue;
        const bool defines = file->second.moduleName == module;
        const auto& used = file->second.usedModules;
        if (!defines && std::find(used.begin(), used.end(), module) == used.end()) continue;
        const auto analysis = view.workspace.analysisOfFile(uri);
        if (!analysis) continue;
        const LineOffsets lines(analysis->text());
        for (const NameOccurrence& occurrence : analysis->occurrences()) {
            TextRange range = occurrence.place;
            const std::string_view name = analysis->textOf(range);
            const bool isQualified = name != function && lastWord(name) == function;
            if (name != function && !isQualified) continue;
            if (isQualified && name.substr(0, name.size() - function.size() - 2) != module) continue;
            // A name of the file itself hides the module's; in the module it is the definition.
            const bool isOwn = occurrence.symbol >= 0;
            const bool isFunction =
                isOwn && analysis->symbols()[static_cast<size_t>(occurrence.symbol)].kind == SymbolKind::Function;
            if (isOwn ? !(defines && isFunction) : defines) continue;
            if (isQualified) range.begin = range.end - function.size();
            places.push_back({uri, rangeIn(analysis->text(), lines, range, encoding), range.begin, occurrence.isWrite});
        }
    }
}

std::vector<Place> placesOf(const DocumentView& view, const Target& target) {
    std::vector<Place> places;
    if (target.module.symbol) {
        const auto file = view.workspace.files().find(*target.module.uri);
        const std::string module = file->second.moduleName, function = target.module.symbol->name;
        addPlacesInUsers(view, module, function, places);
        return places;
    }
    if (target.symbol < 0) return places;
    const ScriptSymbol& symbol = view.analysis->symbols()[static_cast<size_t>(target.symbol)];
    const bool isExported =
        symbol.kind == SymbolKind::Function && symbol.scope == 0 && !view.analysis->moduleName().empty();
    if (!isExported) return placesOfSymbol(view, target.symbol);
    addPlacesInUsers(view, view.analysis->moduleName(), symbol.name, places);
    return places;
}

bool isKeyword(std::string_view word) {
    const auto has = [&](const auto& words) { return std::find(words.begin(), words.end(), word) != words.end(); };
    return has(kStatementWords) || has(kClauseWords) || has(kConditionWords) || has(kDefinitionWords) ||
           has(kValueWords);
}

void requireName(const std::string& name) {
    const std::vector<Token> tokens = scanTokens(name);
    const bool isWord = tokens.size() == 2 && tokens[0].kind == TokenKind::Identifier && tokens[0].source == name &&
                        name.find("::") == std::string::npos;
    if (!isWord) {
        throw RequestError(kRequestFailed, fmt::format("{} is not a name: a name begins with a letter and has letters, "
                                                       "digits and underscores.",
                                                       name));
    }
    if (isKeyword(name)) throw RequestError(kRequestFailed, fmt::format("{} is a word of the language.", name));
}

// The name must not be visible where the old one is used.
void requireFree(const DocumentView& view, int symbol, const std::string& name) {
    const ScriptAnalysis& analysis = *view.analysis;
    const auto refuse = [&](size_t place) {
        const auto line = view.document.text.positionAt(place, view.workspace.encoding()).line + 1;
        throw RequestError(kRequestFailed, fmt::format("{} is taken: line {} has this name.", name, line));
    };
    for (const NameOccurrence& occurrence : analysis.occurrences()) {
        if (occurrence.symbol != symbol) continue;
        const int other = analysis.resolve(name, occurrence.scope);
        if (other >= 0 && other != symbol) refuse(analysis.symbols()[static_cast<size_t>(other)].definition.begin);
    }
    // A use of a name from elsewhere that would then mean this one.
    const int scope = analysis.symbols()[static_cast<size_t>(symbol)].scope;
    for (const NameOccurrence& occurrence : analysis.occurrences()) {
        if (occurrence.symbol >= 0 || analysis.textOf(occurrence.place) != name) continue;
        for (int s = occurrence.scope; s >= 0; s = analysis.scopes()[static_cast<size_t>(s)].parent) {
            if (s == scope) refuse(occurrence.place.begin);
        }
    }
}

}  // namespace

Json definitionAt(const DocumentView& view, const Json& parameters) {
    const Target target = targetAt(view, parameters);
    if (target.symbol >= 0) {
        const ScriptSymbol& symbol = view.analysis->symbols()[static_cast<size_t>(target.symbol)];
        return {{"uri", view.document.uri}, {"range", view.rangeOf(symbol.definition)}};
    }
    if (target.module.symbol) {
        return {
            {"uri", *target.module.uri},
            {"range",
             {{"start", positionJson(target.module.symbol->begin)}, {"end", positionJson(target.module.symbol->end)}}}};
    }
    // use a::b leads to the module's file.
    const size_t place = view.offsetOf(member(parameters, "position"));
    const Token* token = view.analysis->tokenAt(place);
    if (!token || token->kind != TokenKind::Identifier) return nullptr;
    const auto& used = view.analysis->usedModules();
    if (std::find(used.begin(), used.end(), token->source) == used.end()) return nullptr;
    const std::vector<std::string> files = view.workspace.filesOfModule(token->source);
    if (files.empty()) return nullptr;
    return {{"uri", files[0]}, {"range", {{"start", positionJson({})}, {"end", positionJson({})}}}};
}

Json referencesAt(const DocumentView& view, const Json& parameters) {
    Json locations = Json::array();
    const Target target = targetAt(view, parameters);
    const Json* context = findMember(parameters, "context");
    const Json* wanted = context ? findMember(*context, "includeDeclaration") : nullptr;
    const bool hasDefinition = !wanted || !wanted->is_boolean() || wanted->get<bool>();
    const size_t definition = target.symbol < 0
                                  ? std::string::npos
                                  : view.analysis->symbols()[static_cast<size_t>(target.symbol)].definition.begin;
    for (const Place& place : placesOf(view, target)) {
        if (!hasDefinition && place.uri == view.document.uri && place.begin == definition) continue;
        locations.push_back({{"uri", place.uri}, {"range", place.range}});
    }
    return locations;
}

Json highlightsAt(const DocumentView& view, const Json& parameters) {
    Json highlights = Json::array();
    const Target target = targetAt(view, parameters);
    if (target.symbol >= 0) {
        for (const Place& place : placesOfSymbol(view, target.symbol)) {
            highlights.push_back({{"range", place.range}, {"kind", place.isWrite ? 3 : 2}});
        }
        return highlights;
    }
    if (!target.occurrence) return highlights;
    const std::string_view name = view.analysis->textOf(target.occurrence->place);
    for (const NameOccurrence& occurrence : view.analysis->occurrences()) {
        if (occurrence.symbol >= 0 || view.analysis->textOf(occurrence.place) != name) continue;
        highlights.push_back({{"range", view.rangeOf(occurrence.place)}, {"kind", 2}});
    }
    return highlights;
}

Json prepareRename(const DocumentView& view, const Json& parameters) {
    const Target target = targetAt(view, parameters);
    if (target.symbol < 0 && !target.module.symbol) {
        throw RequestError(kRequestFailed, "Only names that scripts of this workspace define can be renamed.");
    }
    TextRange range = target.occurrence->place;
    const std::string_view name = lastWord(view.analysis->textOf(range));
    range.begin = range.end - name.size();
    return {{"range", view.rangeOf(range)}, {"placeholder", name}};
}

Json renameAt(const DocumentView& view, const Json& parameters) {
    const std::string name = stringMember(parameters, "newName");
    requireName(name);
    const Target target = targetAt(view, parameters);
    if (target.symbol < 0 && !target.module.symbol) {
        throw RequestError(kRequestFailed, "Only names that scripts of this workspace define can be renamed.");
    }
    if (target.symbol >= 0) requireFree(view, target.symbol, name);
    std::map<std::string, Json> changes;
    for (const Place& place : placesOf(view, target)) {
        Json& edits = changes.try_emplace(place.uri, Json::array()).first->second;
        edits.push_back({{"range", place.range}, {"newText", name}});
    }
    Json edit;
    edit["changes"] = Json::object();
    for (auto& [uri, edits] : changes) edit["changes"][uri] = std::move(edits);
    return edit;
}

}  // namespace pelorus
