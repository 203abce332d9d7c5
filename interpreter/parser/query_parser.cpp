// Queries: select, exec, with, union, and the clauses that all kinds share. Section 17 of the language.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "interpreter/parser/named_constants.h"
#include "interpreter/parser/parser_core.h"
#include "runtime/format/to_source.h"

namespace pelorus {

bool Parser::startsQuery() const {
    const Token& token = peek();
    const Token& next = peek(1);
    if (token.isKeyword("select") || token.isKeyword("exec")) return !next.is("=") && !next.is("->");
    if (token.isKeyword("insert")) return next.isKeyword("into");
    const bool changes = token.isKeyword("update") || token.isKeyword("delete");
    if (changes && next.is("[") && peek(2).source.starts_with("HINT_")) return true;
    if (token.isKeyword("delete")) {
        return next.isKeyword("from") || (next.kind == TokenKind::Identifier && peek(2).isKeyword("from"));
    }
    bool name = next.kind == TokenKind::Identifier || next.kind == TokenKind::String;
    if (token.isKeyword("update")) return name && !next.newlineBefore;
    if (token.isKeyword("with"))
        return next.kind == TokenKind::Identifier && (peek(2).isKeyword("as") || peek(2).is("("));
    return false;
}

NodeRef Parser::query() {
    DepthGuard guard(*this);
    Mode mode = mode_;
    mode.inQuery = true;
    mode.pairAllowed = true;
    ModeScope scope(*this, mode);
    const int unknownBefore = unknownCalls_;
    NodeRef node;
    if (peek().isKeyword("update")) {
        node = updateQuery();
    } else if (peek().isKeyword("delete")) {
        node = deleteQuery();
    } else if (peek().isKeyword("insert")) {
        node = insertQuery();
    } else {
        node = selectQuery();
    }
    auto& made = static_cast<Query&>(*node);
    made.callsUnknown = unknownCalls_ > unknownBefore;
    const bool reads = made.verb == QueryVerb::Select || made.verb == QueryVerb::Exec;
    return reads ? unions(std::move(node)) : node;
}

// A clause may begin on a new line.
bool Parser::clauseAhead(std::string_view first, std::string_view second) const {
    if (!peek().isKeyword(first)) return false;
    return second.empty() || peek(1).isKeyword(second);
}

bool Parser::takeClause(std::string_view first, std::string_view second) {
    if (!clauseAhead(first, second)) return false;
    take();
    if (!second.empty()) take();
    return true;
}

bool Parser::takeComma() {
    return takeIf(",");
}

void Parser::withClause(Query& query) {
    if (!takeKeyword("with")) return;
    do {
        std::string name = expectName("the name of a subquery");
        std::vector<std::string> columns;
        if (takeIf("(")) {
            do {
                columns.push_back(columnName());
            } while (takeComma());
            expect(")", "after the column names");
        }
        expectKeyword("as", "and the subquery");
        SourcePosition position = peek().position;
        if (!peek().is("(")) failUnexpected("'(' and the subquery");
        NodeRef inner = parenthesised();
        if (inner->kind != NodeKind::Query)
            throw syntaxError(position, "A query must stand in the brackets after 'with'.");
        auto& items = static_cast<Query&>(*inner).items;
        if (!columns.empty() && columns.size() != items.size()) {
            throw syntaxError(position, "The subquery " + name + " has " + std::to_string(items.size()) +
                                            " columns, but " + std::to_string(columns.size()) + " names.");
        }
        for (size_t i = 0; i < columns.size(); ++i) items[i].aliases = {columns[i]};
        query.with.emplace_back(std::move(name), std::move(inner));
    } while (takeComma());
}

void Parser::hint(Query& query) {
    // Other brackets begin the first entry of the select list.
    const bool isHint = peek(1).kind == TokenKind::Number || peek(1).source.starts_with("HINT_");
    if (!peek().is("[") || !isHint) return;
    take();
    do {
        const Token& token = peek();
        if (token.kind == TokenKind::Number) {
            query.hint |= numberLiteral(take(), false).asLong();
            continue;
        }
        Value bit;
        bool isHint = token.source.starts_with("HINT_") && namedConstant(token.source, bit);
        if (!isHint) failUnexpected("the number or name of a hint");
        query.hint |= bit.asLong();
        take();
    } while (takeComma());
    expect("]", "after the hint");
}

void Parser::top(Query& query) {
    if (!peek().isKeyword("top") || (peek(1).kind != TokenKind::Number && !startsOperand(1))) return;
    if (peek(1).is("(") && !peek(1).spaceBefore) return;  // a call of a function of that name
    take();
    if (peek().kind != TokenKind::Number) fail(peek(), "integer constant expected after keyword top");
    auto number = [&]() -> NodeRef {
        if (peek().kind != TokenKind::Number) fail(peek(), "integer constant expected after keyword top");
        SourcePosition position = peek().position;
        Value value = numberLiteral(take(), false);
        if (!isIntegral(value.type())) throw syntaxError(position, "integer constant expected after keyword top");
        return makeRef<Constant>(std::move(value), position);
    };
    query.top = number();
    if (!peek().is(":")) return;
    SourcePosition position = take().position;
    query.top = makeRef<Binary>(Operator::Pair, query.top, number(), position);
}

NodeRef Parser::selectQuery() {
    DepthGuard guard(*this);
    bool commaJoins = !isCallArgument();
    Ref<Query> query = makeRef<Query>(peek().position);
    withClause(*query);
    if (takeKeyword("exec")) {
        query->verb = QueryVerb::Exec;
    } else {
        expectKeyword("select", "or 'exec'");
    }
    hint(*query);
    // The next token shows whether the word is a column or function of that name.
    const bool isName = (peek(1).is("(") && !peek(1).spaceBefore) || peek(1).is(",") || peek(1).isKeyword("from");
    query->distinct = peek().isKeyword("distinct") && !isName && takeKeyword("distinct");
    top(*query);
    query->items = selectItems();
    fromClause(*query, commaJoins);
    whereClause(*query);
    groupingClause(*query);
    tailClauses(*query);
    if (query->offset && !query->limit) query->limit = integerConstant(INT32_MAX, query->position);
    resolvePositions(*query);
    return query;
}

// Returns the number of a select item that a key stands for, as the 2 of order by 2; 0 for other keys.
static size_t positionOf(const NodeRef& key, const std::vector<SelectItem>& items) {
    if (key->kind != NodeKind::Constant) return 0;
    const auto& constant = static_cast<const Constant&>(*key);
    if (constant.value.type() != Type::Int || !constant.value.isScalar() || !constant.spelling.empty()) return 0;
    const int64_t number = constant.value.isNull() ? 0 : constant.value.integer();
    const bool isItem = number >= 1 && number <= std::ssize(items) &&
                        std::none_of(items.begin(), items.end(),
                                     [](const SelectItem& item) { return item.value->kind == NodeKind::Star; });
    return isItem ? static_cast<size_t>(number) : 0;
}

// order by 2, group by 1: the items of the select list of these numbers.
void Parser::resolvePositions(Query& query) const {
    for (OrderItem& order : query.orderBy) {
        const size_t number = positionOf(order.value, query.items);
        if (number == 0) continue;
        const SelectItem& item = query.items[number - 1];
        order.value =
            item.aliases.empty() ? item.value : NodeRef(makeRef<Name>(item.aliases[0], order.value->position));
    }
    if (query.grouping != GroupKind::Group) return;
    for (SelectItem& key : query.groupBy) {
        if (!key.aliases.empty()) continue;
        if (const size_t number = positionOf(key.value, query.items)) key = query.items[number - 1];
    }
}

std::vector<SelectItem> Parser::selectItems() {
    std::vector<SelectItem> items;
    do {
        items.push_back(selectItem());
    } while (takeComma());
    return items;
}

SelectItem Parser::selectItem() {
    SelectItem item;
    bool star = peek().is("*") && !isPattern(1);
    if (star) {
        item.value = makeRef<Star>(take().position);
    } else {
        item.value = expression();
    }
    if (takeKeyword("as")) {
        alias(item);
    } else if (!star && peek().kind == TokenKind::Identifier && sameLine() && !isClauseWord(peek()) &&
               !isStatementKeyword(peek()) && !startsTail()) {
        item.aliases = {std::string(take().source)};
    }
    return item;
}

void Parser::alias(SelectItem& item) {
    const Token& token = peek();
    if (token.kind == TokenKind::Macro || token.kind == TokenKind::MacroMany) {
        item.aliasMacro = makeRef<MacroColumn>(token.text, token.kind == TokenKind::MacroMany, token.position);
        take();
        return;
    }
    item.aliases = aliasNames();
}

// name, "name", `a`b`c, d1...d9
std::vector<std::string> Parser::aliasNames() {
    std::vector<std::string> names;
    if (peek().kind == TokenKind::Backtick) {
        do {
            names.push_back(take().text);
        } while (peek().kind == TokenKind::Backtick && sameLine());
        return names;
    }
    if (peek().kind == TokenKind::String || peek().kind == TokenKind::ColumnName) return {take().text};
    if (peek().kind != TokenKind::Identifier) failUnexpected("a name after 'as'");
    std::string first(take().source);
    if (!peek().is("...") || peek(1).kind != TokenKind::Identifier) return {first};
    take();
    std::string last(take().source);
    auto split = [](const std::string& name) {
        size_t digits = name.size();
        while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
        return digits;
    };
    size_t at = split(first);
    constexpr size_t kMaxDigits = 9;
    if (at == first.size() || at == last.size() || split(last) != at || first.substr(0, at) != last.substr(0, at) ||
        first.size() - at > kMaxDigits || last.size() - at > kMaxDigits) {
        fail(peek(),
             "The names " + first + " and " + last + " do not make a range: they must differ in their number only.");
    }
    int from = std::stoi(first.substr(at)), to = std::stoi(last.substr(at));
    constexpr int kLongestRange = 32768;
    if (from > to || to - from > kLongestRange)
        fail(peek(), "The range of names " + first + "..." + last + " is too long or runs backwards.");
    bool padded = first[at] == '0';
    for (int i = from; i <= to; ++i) {
        std::string number = std::to_string(i);
        if (padded && number.size() < first.size() - at) number.insert(0, first.size() - at - number.size(), '0');
        names.push_back(first.substr(0, at) + number);
    }
    return names;
}

void Parser::whereClause(Query& query) {
    if (!takeKeyword("where")) return;
    do {
        query.where.push_back(expression());
    } while (takeComma());
}

void Parser::groupingClause(Query& query) {
    auto keys = [&](GroupKind kind) {
        query.grouping = kind;
        query.groupBy = selectItems();
    };
    if (takeClause("group", "by")) {
        query.grouping = GroupKind::Group;
        groupKeys(query);
    } else if (takeClause("context", "by")) {
        keys(GroupKind::Context);
    } else if (takeClause("pivot", "by")) {
        keys(GroupKind::Pivot);
    }
    // cgroup by may follow group by: its keys come last in the list.
    if (takeClause("cgroup", "by")) {
        query.grouping = GroupKind::CumulativeGroup;
        std::vector<SelectItem> cumulative = selectItems();
        query.cumulativeKeys = static_cast<int>(cumulative.size());
        for (SelectItem& item : cumulative) query.groupBy.push_back(std::move(item));
    }
    if (takeKeyword("csort")) query.csort = orderItems();
    if (takeKeyword("having")) query.having = expression();
    if (query.csort.empty() && takeKeyword("csort")) query.csort = orderItems();
}

std::vector<OrderItem> Parser::orderItems() {
    std::vector<OrderItem> items;
    do {
        items.push_back(ordered(expression()));
    } while (takeComma());
    return items;
}

// The rest of an order-by entry after its value: asc or desc, nulls first or last.
OrderItem Parser::ordered(NodeRef value) {
    OrderItem item;
    item.value = std::move(value);
    if (takeKeyword("desc")) {
        item.ascending = false;
    } else {
        takeKeyword("asc");
    }
    item.nullsFirst = item.ascending;
    if (takeKeyword("nulls")) {
        item.nullsGiven = true;
        item.nullsFirst = takeKeyword("first");
        if (!item.nullsFirst) expectKeyword("last", "or 'first' after 'nulls'");
    }
    return item;
}

bool Parser::startsTail() const {
    const Token& next = peek(1);
    return (peek().isKeyword("offset") && next.kind == TokenKind::Number) ||
           (peek().isKeyword("fetch") && (next.isKeyword("first") || next.isKeyword("next")));
}

void Parser::tailClauses(Query& query) {
    for (;;) {
        if (takeClause("order", "by")) {
            query.orderBy = orderItems();
        } else if (peek().isKeyword("limit")) {
            take();
            query.limit = expression();
            if (takeComma()) {
                query.offset = std::move(query.limit);
                query.limit = expression();
            }
        } else if (startsTail()) {
            const bool isOffset = peek().isKeyword("offset");
            take();
            if (!isOffset) take();  // first or next
            NodeRef& count = isOffset ? query.offset : query.limit;
            if (count) fail(peek(), "The rows that a query leaves out or gives are written twice.");
            count = peek().kind == TokenKind::Number ? literalRun() : integerConstant(1, peek().position);
            if (!takeKeyword("rows")) takeKeyword("row");
            if (!isOffset) takeKeyword("only");
        } else if (peek().isKeyword("map") && !peek(1).is("=") && !peek(1).is("(")) {
            take();
            query.map = true;
        } else {
            return;
        }
    }
}

std::string Parser::columnName() {
    const Token& token = peek();
    if (token.kind == TokenKind::String || token.kind == TokenKind::ColumnName || token.kind == TokenKind::Backtick) {
        return take().text;
    }
    if (token.kind != TokenKind::Identifier) failUnexpected("the name of a column");
    return std::string(take().source);
}

}  // namespace pelorus
