#include "interpreter/analysis/script_analyzer.h"

#include <algorithm>

#include "common/string/trim.h"
#include "common/thread/stack_room.h"
#include "interpreter/analysis/node_children.h"
#include "interpreter/parser/keywords.h"
#include "runtime/format/to_source.h"

namespace pelorus {

namespace {

constexpr size_t kLongestDefault = 40;

template <class Words>
bool isAmong(const Token& token, const Words& words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token.isKeyword(word); });
}

bool isKeyword(const Token& token) {
    return isAmong(token, kStatementWords) || isAmong(token, kClauseWords) || isAmong(token, kConditionWords) ||
           isAmong(token, kDefinitionWords) || isAmong(token, kQueryWords) || isAmong(token, kValueWords);
}

int64_t placeNumber(SourcePosition position) {
    return static_cast<int64_t>(position.line) << 32 | position.column;
}

}  // namespace

std::string signatureOf(std::string_view name, const std::vector<ParameterNode>& parameters) {
    std::string text(name);
    text += '(';
    for (const ParameterNode& parameter : parameters) {
        if (text.back() != '(') text += ", ";
        if (parameter.isMutable) text += "mutable ";
        if (!parameter.defaultValue) {
            text += parameter.name;
            continue;
        }
        const std::string value = toSource(*parameter.defaultValue);
        text += "[" + parameter.name + (value.size() <= kLongestDefault ? "=" + value : "") + "]";
    }
    return text + ")";
}

ScriptAnalyzer::ScriptAnalyzer(ScriptAnalysis& analysis, const ScriptAnalysis::StoredColumns& columns)
    : analysis_(analysis), columns_(columns) {}

void ScriptAnalyzer::run() {
    places_.reserve(analysis_.script_.tokens.size());
    for (const Token& token : analysis_.script_.tokens) places_.push_back(placeNumber(token.position));
    scope_ = openScope({0, analysis_.text_.size()}, false);
    for (const NodeRef& statement : analysis_.script_.statements) {
        try {
            visit(statement);
        } catch (const Error&) {
            // The code is nested more deeply than the stack reaches: names in there stay unknown.
            scope_ = 0;
            inTable_ = false;
            queryColumns_.clear();
        }
    }
    visitRefused();
    std::stable_sort(analysis_.occurrences_.begin(), analysis_.occurrences_.end(),
                     [](const NameOccurrence& a, const NameOccurrence& b) { return a.place.begin < b.place.begin; });
    // A name that two nodes of the tree share, such as the subject of a case, occurs once.
    const auto same = [](const NameOccurrence& a, const NameOccurrence& b) { return a.place.begin == b.place.begin; };
    auto& all = analysis_.occurrences_;
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    resolveUses();
}

// ---- tokens

TextRange ScriptAnalyzer::rangeOf(size_t token) const {
    const Token& t = analysis_.script_.tokens[token];
    return {offset(t), offset(t) + t.source.size()};
}

size_t ScriptAnalyzer::tokenOf(SourcePosition position) const {
    const auto found = std::lower_bound(places_.begin(), places_.end(), placeNumber(position));
    return static_cast<size_t>(found - places_.begin());
}

bool ScriptAnalyzer::isName(size_t token, std::string_view name) const {
    const auto& tokens = analysis_.script_.tokens;
    return token < tokens.size() && tokens[token].kind == TokenKind::Identifier && tokens[token].source == name;
}

size_t ScriptAnalyzer::findName(size_t token, std::string_view name, size_t within) const {
    const size_t count = analysis_.script_.tokens.size();
    for (size_t i = token; i < std::min(count, token + within); ++i) {
        if (isName(i, name)) return i;
    }
    return count;
}

size_t ScriptAnalyzer::closing(size_t open) const {
    const auto& tokens = analysis_.script_.tokens;
    int level = 0;
    for (size_t i = open; i < tokens.size(); ++i) {
        if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) ++level;
        if ((tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) && --level == 0) return i;
    }
    return tokens.size() - 1;
}

// The lines of // or the /* */ that end on the line before the place.
std::string ScriptAnalyzer::commentAbove(size_t place) const {
    const std::string_view text = analysis_.text_;
    size_t lineBegin = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;
    if (text.find_first_not_of(" \t", lineBegin) < place) return {};  // something else is on the line
    std::vector<std::string_view> lines;
    constexpr size_t kMaxLines = 60;
    bool inBlock = false;
    while (lineBegin > 0 && lines.size() < kMaxLines) {
        const size_t previous = lineBegin < 2 ? 0 : text.rfind('\n', lineBegin - 2) + 1;
        std::string_view line = trim(text.substr(previous, lineBegin - 1 - previous));
        if (!inBlock && line.ends_with("*/")) {
            inBlock = true;
            line = trim(line.substr(0, line.size() - 2));
        } else if (!inBlock && !line.starts_with("//")) {
            if (line.starts_with("@")) {  // an annotation between the comment and the function
                lineBegin = previous;
                continue;
            }
            break;
        }
        const bool begins = inBlock && line.starts_with("/*");
        line.remove_prefix(std::min(line.find_first_not_of("/*"), line.size()));
        lines.push_back(trim(line));
        lineBegin = previous;
        if (begins) break;
    }
    std::string comment;
    for (size_t i = lines.size(); i-- > 0;) {
        if (lines[i].empty() && comment.empty()) continue;
        comment += std::string(lines[i]) + "\n";
    }
    while (!comment.empty() && comment.back() == '\n') comment.pop_back();
    return comment;
}

TextRange ScriptAnalyzer::wholeFrom(size_t token) const {
    const auto& ranges = analysis_.script_.ranges;
    const size_t place = offset(analysis_.script_.tokens[token]);
    auto after = std::upper_bound(ranges.begin(), ranges.end(), place,
                                  [](size_t at, const StatementRange& r) { return at < r.begin; });
    if (after == ranges.begin()) return rangeOf(token);
    --after;
    return {std::min(after->begin, place), std::max(after->end, rangeOf(token).end)};
}

// ---- scopes

int ScriptAnalyzer::openScope(TextRange range, bool isNamed) {
    analysis_.scopes_.push_back({analysis_.scopes_.empty() ? -1 : scope_, range, isNamed});
    analysis_.names_.emplace_back();
    return static_cast<int>(analysis_.scopes_.size()) - 1;
}

int ScriptAnalyzer::define(const std::string& name, SymbolKind kind, TextRange place, TextRange whole) {
    auto& names = analysis_.names_[static_cast<size_t>(scope_)];
    const auto [found, isNew] = names.emplace(name, static_cast<int>(analysis_.symbols_.size()));
    if (isNew) {
        ScriptSymbol symbol;
        symbol.name = name;
        symbol.kind = kind;
        symbol.scope = scope_;
        symbol.definition = place;
        symbol.whole = whole;
        analysis_.symbols_.push_back(std::move(symbol));
    }
    NameOccurrence occurrence;
    occurrence.place = place;
    occurrence.symbol = found->second;
    occurrence.scope = scope_;
    occurrence.isWrite = true;
    analysis_.occurrences_.push_back(occurrence);
    return found->second;
}

void ScriptAnalyzer::use(TextRange place, bool isCall) {
    NameOccurrence occurrence;
    occurrence.place = place;
    occurrence.scope = scope_;
    occurrence.isCall = isCall;
    occurrence.isInQuery = !queryColumns_.empty();
    occurrence.isTable = inTable_;
    if (!queryColumns_.empty() && !isCall) {
        occurrence.mayBeColumn = true;
        const std::string_view name = analysis_.textOf(place);
        for (const auto& columns : queryColumns_) {
            occurrence.isColumn |= std::find(columns.begin(), columns.end(), name) != columns.end();
        }
    }
    analysis_.occurrences_.push_back(occurrence);
}

ShapeSources ScriptAnalyzer::sources() const {
    ShapeSources sources;
    sources.variable = [this](std::string_view name) -> const ValueShape* {
        const int symbol = analysis_.resolveTable(name, scope_);
        return symbol < 0 ? nullptr : analysis_.shapeAt(symbol, analysis_.text_.size());
    };
    sources.isClass = [this](std::string_view name) {
        const int symbol = analysis_.resolve(name, 0);
        return symbol >= 0 && analysis_.symbols_[static_cast<size_t>(symbol)].kind == SymbolKind::Class;
    };
    sources.columns = columns_;
    return sources;
}

// ---- nodes

void ScriptAnalyzer::visit(const NodeRef& node) {
    if (!node) return;
    requireStackRoom();
    switch (node->kind) {
        case NodeKind::Name:
            return visitName(static_cast<const Name&>(*node), false);
        case NodeKind::Call:
            return visitCall(static_cast<const Call&>(*node));
        case NodeKind::Assign:
            return visitAssign(static_cast<const Assign&>(*node));
        case NodeKind::FunctionDefinition:
            return visitDefinition(static_cast<const FunctionDefinition&>(*node), false);
        case NodeKind::Lambda:
            return visitFunction(static_cast<const Lambda&>(*node).function, node->position, false);
        case NodeKind::ClassDefinition:
            return visitClass(static_cast<const ClassDefinition&>(*node));
        case NodeKind::For:
            return visitLoop(static_cast<const For&>(*node));
        case NodeKind::Try:
            return visitTry(static_cast<const Try&>(*node));
        case NodeKind::Share:
            return visitShare(static_cast<const Share&>(*node));
        case NodeKind::Query:
            return visitQuery(static_cast<const Query&>(*node));
        case NodeKind::Metacode:
            // Its names may be columns of a table that it meets later.
            queryColumns_.emplace_back();
            visit(static_cast<const Metacode&>(*node).code);
            queryColumns_.pop_back();
            return;
        case NodeKind::Use:
        case NodeKind::Module:
            return visitDirective(static_cast<const Directive&>(*node));
        default:
            return forEachChild(*node, [this](const NodeRef& child) { visit(child); });
    }
}

// Names that the parser made itself are not in the text.
void ScriptAnalyzer::visitName(const Name& name, bool isCall) {
    size_t token = tokenOf(name.position);
    const auto& tokens = analysis_.script_.tokens;
    if (token < tokens.size() && (tokens[token].is("&") || tokens[token].is("::"))) ++token;
    std::string_view written = name.name;
    if (written.starts_with("::")) written.remove_prefix(2);
    if (isName(token, written)) use(rangeOf(token), isCall || name.functionOnly);
}

void ScriptAnalyzer::visitCall(const Call& call) {
    if (call.callee->kind == NodeKind::Name) {
        visitName(static_cast<const Name&>(*call.callee), true);
    } else {
        visit(call.callee);
    }
    for (const Argument& argument : call.arguments) visit(argument.value);
    // share(t, "name") defines the name, as does share t as name.
    const bool isShare = call.callee->kind == NodeKind::Name && static_cast<const Name&>(*call.callee).name == "share";
    if (!isShare || call.arguments.size() < 2 || call.arguments[1].value->kind != NodeKind::Constant) return;
    const Value& name = static_cast<const Constant&>(*call.arguments[1].value).value;
    if (!name.isScalar() || categoryOf(name.type()) != Category::Literal) return;
    const size_t token = tokenOf(call.arguments[1].value->position);
    const auto& tokens = analysis_.script_.tokens;
    if (token >= tokens.size() || tokens[token].text != name.string() || tokens[token].source.size() < 2) return;
    TextRange place = rangeOf(token);
    ++place.begin;
    if (tokens[token].kind == TokenKind::String) --place.end;
    const int outer = std::exchange(scope_, 0);
    const int symbol = define(std::string(name.string()), SymbolKind::Shared, place, wholeFrom(token));
    analysis_.symbols_[static_cast<size_t>(symbol)].shapes.emplace_back(
        place.end, inferShape(*call.arguments[0].value, sources()));
    scope_ = outer;
}

void ScriptAnalyzer::visitAssign(const Assign& assign) {
    visit(assign.value);
    const ValueShape shape = assign.targets.size() == 1 && !assign.compound && assign.value
                                 ? inferShape(*assign.value, sources())
                                 : ValueShape();
    for (const NodeRef& target : assign.targets) {
        if (target->kind != NodeKind::Name) {
            visit(target);
            continue;
        }
        const std::string& name = static_cast<const Name&>(*target).name;
        const size_t token = findName(tokenOf(target->position), name, 3);
        if (token == analysis_.script_.tokens.size()) continue;
        const TextRange whole = wholeFrom(token);
        // A shared name is changed, not hidden.
        const int known = analysis_.resolve(name, scope_);
        const bool isShared = known >= 0 && analysis_.symbols_[static_cast<size_t>(known)].kind == SymbolKind::Shared;
        if (isShared) {
            use(rangeOf(token), false);
            analysis_.occurrences_.back().isWrite = true;
            continue;
        }
        const int symbol =
            define(name, assign.isConst ? SymbolKind::Constant : SymbolKind::Variable, rangeOf(token), whole);
        ScriptSymbol& variable = analysis_.symbols_[static_cast<size_t>(symbol)];
        if (shape.form != ValueShape::Form::Unknown || !assign.compound) variable.shapes.emplace_back(whole.end, shape);
        if (variable.definition.begin == rangeOf(token).begin) variable.comment = commentAbove(whole.begin);
        const bool isLambda = assign.value && assign.value->kind == NodeKind::Lambda && assign.targets.size() == 1;
        if (isLambda) {
            variable.signature = signatureOf(name, static_cast<const Lambda&>(*assign.value).function.parameters);
        }
    }
}

void ScriptAnalyzer::visitFunction(const FunctionBody& function, SourcePosition position, bool isMethod) {
    const size_t first = tokenOf(position);
    size_t begin = first < analysis_.script_.tokens.size() ? rangeOf(first).begin : 0;
    // The place of a lambda `x -> e` in a chain is that of its first parameter.
    if (!function.parameters.empty() && function.name.empty()) {
        const size_t parameter = tokenOf(function.parameters[0].position);
        if (parameter < analysis_.script_.tokens.size()) begin = std::min(begin, rangeOf(parameter).begin);
    }
    const size_t end = std::min(begin + function.source.size(), analysis_.text_.size());
    const int outer = scope_;
    auto columns = std::exchange(queryColumns_, {});
    const bool isNamed = !function.name.empty() && !isMethod;
    scope_ = openScope({begin, end}, isNamed);
    for (const ParameterNode& parameter : function.parameters) {
        if (parameter.defaultValue) visit(parameter.defaultValue);
        const size_t token = tokenOf(parameter.position);
        if (isName(token, parameter.name))
            define(parameter.name, SymbolKind::Parameter, rangeOf(token), rangeOf(token));
    }
    // An expression inside of a query sees its columns; a function does not.
    if (function.name.empty()) queryColumns_ = columns;
    visit(function.body);
    queryColumns_ = std::move(columns);
    scope_ = outer;
}

void ScriptAnalyzer::visitDefinition(const FunctionDefinition& definition, bool isMethod) {
    const size_t first = tokenOf(definition.position);
    std::vector<ParameterNode> parameters = definition.function.parameters;
    const std::string& name = definition.function.name;
    const size_t token = findName(first + 1, name, 2);
    if (token < analysis_.script_.tokens.size()) {
        const size_t begin = rangeOf(first).begin;
        const TextRange whole{begin, std::min(begin + definition.function.source.size(), analysis_.text_.size())};
        const int symbol = define(name, isMethod ? SymbolKind::Method : SymbolKind::Function, rangeOf(token), whole);
        ScriptSymbol& function = analysis_.symbols_[static_cast<size_t>(symbol)];
        function.signature = signatureOf(name, parameters);
        function.isAggregate = definition.function.isAggregate;
        function.comment = commentAbove(begin);
        // A declaration is followed by the definition.
        if (!definition.function.isDeclaration) {
            function.definition = rangeOf(token);
            function.whole = whole;
        }
    }
    if (definition.isMapReduce) {
        const int outer = scope_;
        const size_t begin = rangeOf(std::min(first, analysis_.script_.tokens.size() - 1)).begin;
        scope_ = openScope({begin, std::min(begin + definition.function.source.size(), analysis_.text_.size())}, true);
        for (const ParameterNode& parameter : parameters) {
            const size_t place = tokenOf(parameter.position);
            if (isName(place, parameter.name)) {
                define(parameter.name, SymbolKind::Parameter, rangeOf(place), rangeOf(place));
            }
        }
        for (const NodeRef& part : definition.mapParts) visit(part);
        visit(definition.reducePart);
        for (const NodeRef& part : definition.runningParts) visit(part);
        visit(definition.runningResult);
        scope_ = outer;
        return;
    }
    visitFunction(definition.function, definition.position, isMethod);
}

void ScriptAnalyzer::visitClass(const ClassDefinition& definition) {
    const size_t first = tokenOf(definition.position);
    const auto& tokens = analysis_.script_.tokens;
    const size_t token = findName(first + 1, definition.name, 1);
    if (token >= tokens.size()) return;
    size_t open = token;
    while (open < tokens.size() && !tokens[open].is("{")) ++open;
    if (open >= tokens.size()) return;
    const TextRange whole{rangeOf(first).begin, rangeOf(closing(open)).end};
    const int symbol = define(definition.name, SymbolKind::Class, rangeOf(token), whole);
    std::vector<std::string> members;
    for (const auto& [attribute, type] : definition.attributes) members.push_back(attribute);
    std::string signature = definition.name + "()";
    for (const NodeRef& node : definition.methods) {
        const auto& method = static_cast<const FunctionDefinition&>(*node).function;
        if (method.name == definition.name) {
            signature = signatureOf(method.name, method.parameters);
        } else {
            members.push_back(method.name);
        }
    }
    {
        ScriptSymbol& type = analysis_.symbols_[static_cast<size_t>(symbol)];
        type.comment = commentAbove(whole.begin);
        type.members = std::move(members);
        type.base = definition.base;
        type.signature = std::move(signature);
    }
    if (!definition.base.empty()) {
        const size_t base = findName(token + 1, definition.base, 2);
        if (base < tokens.size()) use(rangeOf(base), true);
    }
    const int outer = scope_;
    scope_ = openScope(whole, true);
    // Attributes are name::TYPE in one token or in three.
    for (const auto& [attribute, type] : definition.attributes) {
        for (size_t i = open; i < tokens.size() && offset(tokens[i]) < whole.end; ++i) {
            if (tokens[i].kind != TokenKind::Identifier) continue;
            const bool isJoined = tokens[i].source.starts_with(attribute + "::");
            if (!isJoined && !(tokens[i].source == attribute && i + 1 < tokens.size() && tokens[i + 1].is("::")))
                continue;
            const size_t begin = offset(tokens[i]);
            define(attribute, SymbolKind::Variable, {begin, begin + attribute.size()}, rangeOf(i));
            break;
        }
    }
    define("self", SymbolKind::Parameter, {whole.begin, whole.begin}, {whole.begin, whole.begin});
    analysis_.occurrences_.pop_back();  // nobody wrote it
    for (const NodeRef& method : definition.methods) {
        visitDefinition(static_cast<const FunctionDefinition&>(*method), true);
    }
    scope_ = outer;
}

void ScriptAnalyzer::visitLoop(const For& loop) {
    visit(loop.range);
    size_t token = tokenOf(loop.position);
    for (const std::string& variable : loop.variables) {
        token = findName(token + 1, variable, 3);
        if (token == analysis_.script_.tokens.size()) break;
        define(variable, SymbolKind::Variable, rangeOf(token), rangeOf(token));
    }
    visit(loop.body);
}

void ScriptAnalyzer::visitTry(const Try& attempt) {
    visit(attempt.body);
    const auto& tokens = analysis_.script_.tokens;
    const size_t open = tokenOf(attempt.position) + 1;
    if (open < tokens.size() && tokens[open].is("{")) {
        const size_t variable = findName(closing(open) + 2, attempt.variable, 2);
        if (variable < tokens.size()) {
            define(attempt.variable, SymbolKind::Variable, rangeOf(variable), rangeOf(variable));
        }
    }
    visit(attempt.handler);
}

void ScriptAnalyzer::visitShare(const Share& share) {
    visit(share.value);
    const auto& tokens = analysis_.script_.tokens;
    const size_t first = tokenOf(share.position);
    const size_t end = wholeFrom(std::min(first, tokens.size() - 1)).end;
    for (size_t i = first + 1; i + 1 < tokens.size() && offset(tokens[i]) < end; ++i) {
        if (!tokens[i].isKeyword("as")) continue;
        TextRange place = rangeOf(i + 1);
        const TokenKind kind = tokens[i + 1].kind;
        const bool isQuoted = kind == TokenKind::String || kind == TokenKind::Backtick;
        if ((isQuoted ? std::string_view(tokens[i + 1].text) : tokens[i + 1].source) != share.name) continue;
        if (isQuoted) ++place.begin;
        if (kind == TokenKind::String) --place.end;
        const int outer = std::exchange(scope_, 0);
        const int symbol = define(share.name, SymbolKind::Shared, place, wholeFrom(first));
        ScriptSymbol& shared = analysis_.symbols_[static_cast<size_t>(symbol)];
        shared.shapes.emplace_back(end, inferShape(*share.value, sources()));
        scope_ = outer;
        return;
    }
}

void ScriptAnalyzer::visitQuery(const Query& query) {
    // Tables and their variables are read outside of the columns.
    for (const auto& [name, subquery] : query.with) visit(subquery);
    visitTable(query.table);
    visitTable(query.updateSource);
    for (const JoinClause& join : query.joins) visitTable(join.table);
    const bool wasInTable = std::exchange(inTable_, false);
    queryColumns_.push_back(columnsOfSources(query, sources()));
    // Aliases are names for order by and having.
    for (const auto* items : {&query.items, &query.groupBy}) {
        for (const SelectItem& item : *items) {
            auto& columns = queryColumns_.back();
            columns.insert(columns.end(), item.aliases.begin(), item.aliases.end());
        }
    }
    const auto isSource = [&](const NodeRef& child) {
        if (child == query.table || child == query.updateSource) return true;
        if (std::any_of(query.joins.begin(), query.joins.end(),
                        [&](const auto& join) { return child == join.table; })) {
            return true;
        }
        return std::any_of(query.with.begin(), query.with.end(),
                           [&](const auto& with) { return child == with.second; });
    };
    forEachChild(query, [&](const NodeRef& child) {
        if (!isSource(child)) visit(child);
    });
    queryColumns_.pop_back();
    inTable_ = wasInTable;
    // update t set x = …: a column of t from here on.
    if (query.verb != QueryVerb::Update || !query.table || query.table->kind != NodeKind::Name) return;
    const int symbol = analysis_.resolveTable(static_cast<const Name&>(*query.table).name, scope_);
    if (symbol < 0) return;
    auto& shapes = analysis_.symbols_[static_cast<size_t>(symbol)].shapes;
    if (shapes.empty() || !shapes.back().second.isTable()) return;
    auto& members = shapes.back().second.members;
    for (const SelectItem& item : query.items) {
        for (const std::string& column : item.aliases) {
            if (std::find(members.begin(), members.end(), column) == members.end()) members.push_back(column);
        }
    }
}

void ScriptAnalyzer::visitTable(const NodeRef& table) {
    const bool outer = std::exchange(inTable_, true);
    visit(table);
    inTable_ = outer;
}

void ScriptAnalyzer::visitDirective(const Directive& directive) {
    std::string name(trim(directive.text));
    if (name.empty() || name.starts_with("catalog ")) return;
    if (directive.kind == NodeKind::Module) {
        if (analysis_.moduleName_.empty()) analysis_.moduleName_ = std::move(name);
    } else {
        analysis_.usedModules_.push_back(std::move(name));
    }
}

// A statement without a tree: its words that are no keywords may be names.
void ScriptAnalyzer::visitRefused() {
    const auto& ranges = analysis_.script_.ranges;
    const auto& tokens = analysis_.script_.tokens;
    size_t done = 0;
    for (const StatementRange& range : ranges) {
        if (!range.isRefused || range.begin < done) continue;
        done = range.end;
        const char* begin = analysis_.text_.data() + range.begin;
        auto token =
            static_cast<size_t>(std::lower_bound(tokens.begin(), tokens.end(), begin,
                                                 [](const Token& t, const char* at) { return t.begin() < at; }) -
                                tokens.begin());
        scope_ = analysis_.scopeAt(range.begin);
        const size_t first = token;
        for (; token < tokens.size() && offset(tokens[token]) < range.end; ++token) {
            const Token& word = tokens[token];
            if (word.kind != TokenKind::Identifier || isKeyword(word)) continue;
            if (token > 0 && tokens[token - 1].is(".")) continue;
            const bool isBegin = token == first || word.newlineBefore || tokens[token - 1].is(";");
            if (isBegin && token + 1 < tokens.size() && tokens[token + 1].is("=")) {
                define(std::string(word.source), SymbolKind::Variable, rangeOf(token), rangeOf(token));
            } else {
                use(rangeOf(token), token + 1 < tokens.size() && tokens[token + 1].is("("));
            }
            analysis_.occurrences_.back().isRefused = true;
        }
    }
    scope_ = 0;
}

void ScriptAnalyzer::resolveUses() {
    for (NameOccurrence& occurrence : analysis_.occurrences_) {
        if (occurrence.symbol >= 0 || occurrence.isColumn) continue;
        const std::string_view name = analysis_.textOf(occurrence.place);
        occurrence.symbol = occurrence.isTable ? analysis_.resolveTable(name, occurrence.scope)
                                               : analysis_.resolve(name, occurrence.scope);
    }
}

}  // namespace pelorus
