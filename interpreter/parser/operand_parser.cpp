// Operands of expressions, and what may follow them directly: calls, indexes, members. Section 5 of the language.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <optional>

#include "common/string/ascii_case.h"
#include "interpreter/parser/named_constants.h"
#include "interpreter/parser/parser_core.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/value/vector.h"

namespace pelorus {

// A long list of constants is one constant: a node and a register for each element would be too many.
constexpr size_t kMaxItemNodes = 1000;

// Returns the values of the elements, or none when an element is no constant or there are few.
static std::optional<std::vector<Value>> manyConstants(const NodeList& items) {
    if (items.size() <= kMaxItemNodes) return std::nullopt;
    std::vector<Value> values;
    values.reserve(items.size());
    for (const NodeRef& item : items) {
        if (item->kind != NodeKind::Constant || !static_cast<const Constant&>(*item).spelling.empty())
            return std::nullopt;
        values.push_back(static_cast<const Constant&>(*item).value);
    }
    return values;
}

// log (8, 2), def (a, b) {…} (4, 5): several values in brackets are the arguments where the function takes so many; of
// sum (1, 2, 3), which takes one, they are a tuple.
bool Parser::isSpacedCall(const NodeRef& callee) const {
    if (!peek().is("(") || !sameLine()) return false;
    int least = 2, most = INT_MAX;
    if (callee->kind == NodeKind::Name) {
        const std::string& name = static_cast<const Name&>(*callee).name;
        const Known function = known(name);
        if (name == "print") return false;  // shows the tuple
        // SUM (x): no column has brackets behind it.
        if (mode_.inQuery && function.role == NameRole::Unknown) return true;
        if (function.role != NameRole::Function || function.maxArguments < 0) return false;
        least = function.minArguments;
        most = function.maxArguments;
    } else if (callee->kind == NodeKind::Lambda) {
        if (tokens_[at_ - 1].source != "}") return false;
        least = most = static_cast<int>(static_cast<const Lambda&>(*callee).function.parameters.size());
    } else {
        return false;
    }
    // The tokens after it may require the tuple: f (1, 2).append!(3), (x, y) -> x + y.
    const size_t close = closing(at_);
    const Token& after = tokens_[std::min(close + 1, tokens_.size() - 1)];
    if (after.is("->") || after.is(".")) return false;
    int count = 1, level = 0;
    for (size_t i = at_; i < close; ++i) {
        const Token& token = tokens_[i];
        if (token.is("(") || token.is("[") || token.is("{")) ++level;
        if (token.is(")") || token.is("]") || token.is("}")) --level;
        count += level == 1 && token.is(",");
    }
    return count >= 2 && count >= least && count <= most;
}

NodeRef Parser::postfix() {
    bool literal = startsLiteral(0) || (peek().is("-") && peek(1).kind == TokenKind::Number);
    bool constant = literal || peek().is("<");
    NodeRef node = literal ? literalRun() : primary();
    for (int length = 0;; ++length) {
        if (length >= kMaxChain)
            fail(peek(), "A chain of calls has more than " + std::to_string(kMaxChain) + " parts.");
        const Token& token = peek();
        bool adjacent = !token.spaceBefore && !token.newlineBefore;
        SourcePosition position = node->position;
        if (token.is("(") && !constant && (adjacent || isSpacedCall(node))) {
            take();
            const bool isUnknown = mode_.inQuery && node->kind == NodeKind::Name &&
                                   known(static_cast<const Name&>(*node).name).role == NameRole::Unknown;
            if (isUnknown) ++unknownCalls_;
            std::vector<Argument> list = arguments(")", node);
            bool pair = node->kind == NodeKind::Name && static_cast<const Name&>(*node).name == "pair" &&
                        list.size() == 2 && list[0].keyword.empty() && list[1].keyword.empty();
            if (pair) {
                node = makeRef<Binary>(Operator::Pair, std::move(list[0].value), std::move(list[1].value), position);
            } else {
                node = makeRef<Call>(std::move(node), std::move(list), Call::Style::Function, position);
            }
            if (peek().isKeyword("filter") && peek(1).is("(") && peek(2).isKeyword("where") && mode_.inQuery)
                node = filtered(std::move(node));
            if (peek().isKeyword("over") && mode_.inQuery) node = window(std::move(node));
        } else if (token.is("[") && sameLine() && !(constant && !adjacent)) {
            bool spacedName = !adjacent && node->kind == NodeKind::Name;
            if (spacedName && known(static_cast<const Name&>(*node).name).role == NameRole::Function) break;
            if (!adjacent && mode_.inQuery && node->kind != NodeKind::Name) break;
            node = index(std::move(node));
        } else if (token.is("{") && adjacent && !constant && !(node->kind == NodeKind::Lambda && bracesHoldLambda())) {
            take();
            std::vector<Argument> fixed = arguments("}", node);
            node = makeRef<Partial>(std::move(node), std::move(fixed), position);
        } else if (token.is(".") && (adjacent || token.newlineBefore || !peek(1).spaceBefore)) {
            node = memberAccess(std::move(node));
        } else if (token.is("@") && sameLine()) {
            take();
            DepthGuard guard(*this);
            Mode mode = mode_;
            ModeScope scope(*this, mode);
            NodeRef right = startsLiteral(0) ? literalRun() : primary();
            // v @ 1:3 means the pair.
            if (right->kind == NodeKind::Constant && peek().is(":") && !isPattern(0) && startsLiteral(1) &&
                mode_.pairAllowed) {
                SourcePosition colon = take().position;
                right = makeRef<Binary>(Operator::Pair, std::move(right), literalRun(), colon);
            }
            node = makeRef<Binary>(Operator::EachAt, std::move(node), std::move(right), position);
        } else if (isPattern(0) && mode_.pairAllowed &&
                   (node->kind == NodeKind::Name || node->kind == NodeKind::Lambda || node->kind == NodeKind::Partial ||
                    node->kind == NodeKind::HigherOrder)) {
            node = higherOrder(std::move(node));
        } else {
            break;
        }
        constant = false;
    }
    if (peek().is("?") && sameLine()) return ternary(std::move(node));
    return maybePrefixCall(std::move(node));
}

static bool isQuantifier(const std::string& name) {
    return name == "exists" || name == "any" || name == "all";
}

// f x: everything to the right is the argument.
NodeRef Parser::maybePrefixCall(NodeRef node) {
    bool callable = node->kind == NodeKind::Name || node->kind == NodeKind::HigherOrder ||
                    node->kind == NodeKind::Partial || node->kind == NodeKind::Lambda;
    // round -2.1: after a function, a minus that touches a number is its sign.
    bool signedNumber = node->kind == NodeKind::Name && peek().is("-") && peek().spaceBefore &&
                        peek(1).kind == TokenKind::Number && !peek(1).spaceBefore &&
                        known(static_cast<const Name&>(*node).name).role == NameRole::Function;
    if (!callable || !sameLine() || (!startsOperand(0) && !signedNumber)) return node;
    if (node->kind == NodeKind::Lambda && tokens_[at_ - 1].source != "}") return node;
    if (meansInfix(node)) return node;
    const bool isUnknown = mode_.inQuery && node->kind == NodeKind::Name &&
                           known(static_cast<const Name&>(*node).name).role == NameRole::Unknown;
    if (isUnknown) ++unknownCalls_;
    SourcePosition position = node->position;
    // exists (query) and x > 1: these take their brackets only.
    const bool quantifier = mode_.inQuery && node->kind == NodeKind::Name && peek().is("(") &&
                            isQuantifier(static_cast<const Name&>(*node).name);
    // sum (x) is a call like sum(x); a name behind a name may be its alias.
    const bool isBracketed = peek().is("(");
    const size_t closed = isBracketed ? closing(at_) + 1 : 0;
    NodeRef argument;
    if (quantifier) {
        // A union behind the brackets is of the query around them.
        const bool outer = std::exchange(inUnion_, true);
        argument = primary();
        inUnion_ = outer;
    } else {
        argument = expression();
    }
    std::vector<Argument> list = {{"", std::move(argument)}};
    const bool isCall = mode_.inQuery && isBracketed && at_ == closed;
    const Call::Style style = isCall ? Call::Style::Function : Call::Style::Prefix;
    return makeRef<Call>(std::move(node), std::move(list), style, position);
}

NodeRef Parser::ternary(NodeRef condition) {
    DepthGuard guard(*this);
    const size_t sign = at_;
    SourcePosition position = take().position;
    NodeRef then;
    {
        Mode mode = mode_;
        mode.pairAllowed = false;
        ModeScope scope(*this, mode);
        then = expression();
    }
    if (!takeIf(":")) failUnexpected("':' and the value for when the condition is false");
    NodeRef otherwise = expression();
    ternarySign_ = sign;
    ternaryEnd_ = at_;
    return makeRef<Ternary>(std::move(condition), std::move(then), std::move(otherwise), position);
}

NodeRef Parser::memberAccess(NodeRef object) {
    SourcePosition position = take().position;  // .
    position = peek().position;
    const Token member = peek();
    NodeRef callee;
    switch (member.kind) {
        case TokenKind::String:
        case TokenKind::Backtick:
        case TokenKind::ColumnName:
            take();
            return makeRef<Member>(std::move(object), member.text, NodeRef(), position);
        case TokenKind::Number:
            take();
            return makeRef<Member>(std::move(object), std::string(member.source), NodeRef(), position);
        case TokenKind::Identifier:
            take();
            // e.x in a query is the x of a table called e: the number has no members.
            if (mode_.inQuery && object->kind == NodeKind::Constant &&
                !static_cast<const Constant&>(*object).spelling.empty())
                object = makeRef<Name>(static_cast<const Constant&>(*object).spelling, object->position);
            callee = makeRef<Name>(std::string(member.source), position);
            break;
        default:
            break;
    }
    if (!callee && member.is("*")) {
        take();
        return makeRef<Member>(std::move(object), "*", NodeRef(), position);
    }
    if (!callee && member.is("(")) {
        take();
        ModeScope scope(*this, insideBrackets());
        NodeRef key = expression();
        expect(")", "after the key");
        return makeRef<Member>(std::move(object), "", std::move(key), position);
    }
    if (!callee && member.is("{")) callee = braces();
    if (!callee) failUnexpected("a name after '.'");
    bool named = callee->kind == NodeKind::Name;
    while (isPattern(0) && peek(2).is("(")) callee = higherOrder(std::move(callee));
    if (peek().is("{") && !peek().spaceBefore && named) {
        // x.f{a} is f{x, a}
        take();
        std::vector<Argument> fixed = arguments("}", callee);
        fixed.insert(fixed.begin(), Argument{"", std::move(object)});
        return makeRef<Partial>(std::move(callee), std::move(fixed), position);
    }
    if (peek().is("(") && !peek().spaceBefore) {
        take();
        std::vector<Argument> list = arguments(")", callee);
        list.insert(list.begin(), Argument{"", std::move(object)});
        NodeRef call = makeRef<Call>(std::move(callee), std::move(list), Call::Style::Method, position);
        return peek().isKeyword("over") && mode_.inQuery ? window(std::move(call)) : call;
    }
    if (!named) failUnexpected("'(' and the arguments of the method");
    return makeRef<Member>(std::move(object), std::string(member.source), NodeRef(), position);
}

NodeRef Parser::index(NodeRef object) {
    DepthGuard guard(*this);
    SourcePosition position = take().position;  // [
    ModeScope scope(*this, insideBrackets());
    NodeList slots;
    if (peek().is("]") && object->kind == NodeKind::Constant) {
        // INT[] is the array vector of INT.
        auto& named = static_cast<const Constant&>(*object);
        if (!named.spelling.empty() && named.value.type() == Type::Int) {
            take();
            auto id = static_cast<int32_t>(named.value.integer());
            Ref<Constant> node = makeRef<Constant>(Value::ofInt(id + kArrayVectorBase), object->position);
            node->spelling = named.spelling + "[]";
            return node;
        }
    }
    // DECIMAL32(s)[], of a scale that is computed.
    if (peek().is("]") && object->kind == NodeKind::Call) {
        const Node& callee = *static_cast<const Call&>(*object).callee;
        Value type;
        const bool isType = callee.kind == NodeKind::Name &&
                            namedConstant(static_cast<const Name&>(callee).name, type) &&
                            static_cast<const Name&>(callee).name.starts_with("DECIMAL");
        if (isType) {
            take();
            NodeRef base = makeRef<Constant>(Value::ofInt(kArrayVectorBase), position);
            return makeRef<Binary>(Operator::Add, std::move(object), std::move(base), position);
        }
    }
    while (!peek().is("]")) {
        slots.push_back(slot("]"));
        if (!takeIf(",")) break;
        if (peek().is("]")) slots.push_back(makeRef<Omitted>(peek().position));
    }
    expect("]", "after the index");
    return makeRef<Index>(std::move(object), std::move(slots), position);
}

// {x -> …} or {def (x) …}: after another lambda in braces both are applied, the right one first.
bool Parser::bracesHoldLambda() const {
    if (peek(1).isWord("def") || peek(1).isWord("defg")) return true;
    size_t names = 1;
    while (peek(names).kind == TokenKind::Identifier && peek(names + 1).is(",")) names += 2;
    return peek(names).kind == TokenKind::Identifier && peek(names + 1).is("->");
}

// One expression between commas, or nothing.
NodeRef Parser::slot(std::string_view close) {
    if (peek().is(",") || peek().is(close)) return makeRef<Omitted>(peek().position);
    return maybeAlias(expression());
}

NodeRef Parser::maybeAlias(NodeRef value) {
    if (!peek().isKeyword("as")) return value;
    SourcePosition position = take().position;
    return makeRef<Alias>(std::move(value), aliasNames(), position);
}

std::vector<Argument> Parser::arguments(std::string_view close, const NodeRef& callee) {
    DepthGuard guard(*this);
    ModeScope scope(*this, insideBrackets());
    std::vector<Argument> list;
    bool keywords = false;
    if (takeIf(close)) return list;
    if (mode_.inQuery && peek().is("*") && peek(1).is(close)) {
        list.push_back({"", makeRef<Star>(take().position)});
        take();
        return list;
    }
    for (;;) {
        Argument argument;
        bool keyword = peek().kind == TokenKind::Identifier && peek(1).is("=") &&
                       (!mode_.inQuery || hasParameter(callee, peek().source));
        if (keyword) {
            argument.keyword = std::string(take().source);
            take();
            keywords = true;
        } else if (keywords) {
            fail(peek(),
                 "If one argument is passed as keyword argument, all subsequent arguments must also be passed as "
                 "keyword "
                 "arguments. RefId: S06001");
        }
        argument.value = slot(close);
        list.push_back(std::move(argument));
        if (takeIf(close)) return list;
        expect(",", "or '" + std::string(close) + "' after an argument");
        if (peek().is(close)) {
            list.push_back({"", makeRef<Omitted>(take().position)});
            return list;
        }
    }
}

NodeRef Parser::primary() {
    DepthGuard guard(*this);
    if (startsLiteral(0)) return literalRun();
    const Token token = peek();
    switch (token.kind) {
        case TokenKind::Identifier: {
            if (startsExplain()) return explainStatement();
            return identifierOperand();
        }
        case TokenKind::ColumnName: {
            take();
            Ref<Name> name = makeRef<Name>(token.text, token.position);
            name->columnOnly = true;
            return name;
        }
        case TokenKind::Macro:
        case TokenKind::MacroMany:
            take();
            return makeRef<MacroColumn>(token.text, token.kind == TokenKind::MacroMany, token.position);
        case TokenKind::Punctuation:
            break;
        default:
            failUnexpected("an expression");
    }
    if (token.is("(")) return parenthesised();
    if (token.is("[")) return list();
    if (token.is("{")) return braces();
    if (isAnnotationValue()) {
        take();
        return makeRef<Name>("@" + std::string(take().source), token.position);
    }
    if (isOperatorValue()) return operatorValue();
    if (token.is("-") || token.is("!")) return unary();
    if (token.source[0] == '<') {
        if (token.source.size() > 1) splitFirstCharacter();
        return metacode();
    }
    if ((token.is("&") || token.is("::")) && peek(1).kind == TokenKind::Identifier && !peek(1).spaceBefore) {
        take();
        std::string prefix = token.is("::") ? "::" : "";
        Ref<Name> name = makeRef<Name>(prefix + std::string(take().source), token.position);
        name->functionOnly = true;
        return name;
    }
    // All columns: nothing is computed from them.
    const bool standsAlone =
        peek(1).is(")") || peek(1).is(",") || peek(1).isKeyword("from") || peek(1).kind == TokenKind::End;
    if (token.is("*") && mode_.inQuery && standsAlone) return makeRef<Star>(take().position);
    failUnexpected("an expression");
}

NodeRef Parser::operatorValue() {
    const Token token = take();
    Ref<Name> name = makeRef<Name>(operatorBySymbol(token.source)->function, token.position);
    name->functionOnly = true;
    return name;
}

NodeRef Parser::identifierOperand() {
    const Token token = peek();
    // Inside of a query nothing is changed: there these words name columns.
    const bool changes = token.isKeyword("update") || token.isKeyword("delete") || token.isKeyword("insert");
    if (startsQuery() && !(changes && mode_.inQuery)) return query();
    if (token.isWord("def") || token.isWord("defg")) return lambdaDefinition();
    if (token.isKeyword("case") && (mode_.inQuery || peek(1).isKeyword("when"))) return caseExpression();
    if (mode_.inQuery) {
        if (NodeRef form = standardForm()) return form;
        const bool isQuantifier = token.isKeyword("exists") || token.isKeyword("any") || token.isKeyword("all");
        if (isQuantifier && peek(1).is("(") && (peek(2).isKeyword("select") || peek(2).isKeyword("with"))) {
            take();
            return makeRef<Name>(asciiLower(token.source), token.position);
        }
    }
    // Words that begin statements may name columns and functions: undef(`x), where class = 1.
    static constexpr std::array<std::string_view, 17> kNeverNames = {
        "for", "do",   "while", "if",   "else",  "break",  "continue", "return", "def",
        "try", "defg", "catch", "exec", "throw", "select", "as",       "assert"};
    bool reserved = std::find(kNeverNames.begin(), kNeverNames.end(), token.source) != kNeverNames.end();
    // In the place of an operand, the words of clauses name columns, as in `order by x$desc asc` and `where end in 1
    // 2`. Other names after them show that the operand is missing, as in `select a, order by b`. asc and desc begin
    // nothing.
    const bool mayBegin = !token.isKeyword("asc") && !token.isKeyword("desc") && !isConditionWord(peek(1));
    bool beginsClause = token.isKeyword("from") || token.isKeyword("where") ||
                        (mayBegin && peek(1).kind == TokenKind::Identifier && !isClauseWord(peek(1)));
    if (reserved && mode_.inQuery) {
        fail(token, fmt::format("Expected an expression, but found '{}'.", token.source),
             fmt::format("A column of that name is written _\"{}\".", token.source));
    }
    if (reserved || (isClauseWord(token) && !peek(1).is("(") && beginsClause)) {
        failUnexpected("an expression");
    }
    if (peek(1).is("->")) return arrowLambda();
    take();
    if (mode_.inQuery && peek().is("...") && peek(1).kind == TokenKind::Identifier) {
        take();
        return makeRef<ColumnRange>(std::string(token.source), std::string(take().source), token.position);
    }
    Value value;
    if (namedConstant(token.source, value) && known(std::string(token.source)).role != NameRole::Variable) {
        bool decimalType = token.source.substr(0, 7) == "DECIMAL" && peek().is("(");
        std::string spelling(token.source);
        // DECIMAL32(4) is a constant too; DECIMAL32(s) is a call.
        TypeSpec spec;
        if (decimalType && peek(1).kind == TokenKind::Number && peek(2).is(")") &&
            typeSpecByName(spelling + "(" + std::string(peek(1).source) + ")", spec)) {
            spelling += "(" + std::string(peek(1).source) + ")";
            value = Value::ofInt(typeConstant(spec.type, spec.scale));
            for (int i = 0; i < 3; ++i) take();
            decimalType = false;
        }
        if (!decimalType) {
            Ref<Constant> constant = makeRef<Constant>(std::move(value), token.position);
            constant->spelling = std::move(spelling);
            return constant;
        }
    }
    return makeRef<Name>(std::string(token.source), token.position);
}

// x -> e
NodeRef Parser::arrowLambda() {
    size_t first = at_;
    std::vector<ParameterNode> parameters(1);
    parameters[0].position = peek().position;
    parameters[0].name = expectName("a parameter");
    return lambdaFrom(std::move(parameters), first);
}

NodeRef Parser::parenthesised() {
    DepthGuard guard(*this);
    size_t first = at_;
    SourcePosition position = take().position;
    NodeList items;
    bool tuple = false;
    {
        ModeScope scope(*this, insideBrackets());
        if (takeIf(")")) return makeRef<TupleLiteral>(std::move(items), position);
        for (;;) {
            items.push_back(slot(")"));
            if (takeIf(")")) break;
            expect(",", "or ')'");
            tuple = true;
            if (peek().is(")")) {
                items.push_back(makeRef<Omitted>(take().position));
                break;
            }
        }
    }
    if (peek().is("->")) {
        // (x, y) -> e
        std::vector<ParameterNode> parameters;
        for (const NodeRef& item : items) {
            if (item->kind != NodeKind::Name) fail(tokens_[first], "Only names may stand in brackets before '->'.");
            ParameterNode parameter;
            parameter.name = static_cast<const Name&>(*item).name;
            parameter.position = item->position;
            parameters.push_back(std::move(parameter));
        }
        return lambdaFrom(std::move(parameters), first);
    }
    if (auto values = tuple ? manyConstants(items) : std::nullopt)
        return makeRef<Constant>(Value::of(makeRef<Tuple>(std::move(*values))), position);
    if (tuple) return makeRef<TupleLiteral>(std::move(items), position);
    if (items[0]->kind == NodeKind::Omitted) failUnexpected("an expression in the brackets");
    // Inside of a query what follows a sub-query belongs to the query around it, unless brackets hold both.
    const bool mayContinue = !mode_.inQuery || first == 0 || tokens_[first - 1].is("(");
    if (items[0]->kind == NodeKind::Query && !inUnion_ && mayContinue) return unions(items[0]);
    return items[0];
}

bool Parser::takeConstantItem(NodeList& items) {
    const bool negative = peek().is("-");
    const Token& token = peek(negative ? 1 : 0);
    const bool isNumber = token.kind == TokenKind::Number && (!negative || !token.spaceBefore);
    if (!isNumber && (negative || token.kind != TokenKind::String)) return false;
    const Token& next = peek(negative ? 2 : 1);
    if (!next.is(",") && !next.is("]")) return false;
    const SourcePosition position = peek().position;
    items.push_back(makeRef<Constant>(literal(), position));
    return true;
}

NodeRef Parser::list() {
    DepthGuard guard(*this);
    SourcePosition position = take().position;
    ModeScope scope(*this, insideBrackets());
    NodeList items;
    while (!takeIf("]")) {
        if (!takeConstantItem(items)) items.push_back(slot("]"));
        if (takeIf("]")) break;
        expect(",", "or ']' in the list");
        if (peek().is("]")) items.push_back(makeRef<Omitted>(peek().position));
    }
    if (auto values = manyConstants(items)) return makeRef<Constant>(listOf(std::move(*values)), position);
    return makeRef<ListLiteral>(std::move(items), position);
}

// {x -> e}, {def(x) {…}}, {f{a}} hold a function; {k: v} is a dictionary.
NodeRef Parser::braces() {
    DepthGuard guard(*this);
    SourcePosition position = take().position;
    ModeScope scope(*this, insideBrackets());
    std::vector<std::pair<NodeRef, NodeRef>> entries;
    if (takeIf("}")) return makeRef<DictionaryLiteral>(std::move(entries), position);

    size_t names = 0;
    while (peek(names).kind == TokenKind::Identifier && peek(names + 1).is(",")) names += 2;
    if (peek(names).kind == TokenKind::Identifier && peek(names + 1).is("->")) {
        size_t first = at_;
        std::vector<ParameterNode> parameters;
        do {
            ParameterNode parameter;
            parameter.position = peek().position;
            parameter.name = expectName("a parameter");
            parameters.push_back(std::move(parameter));
        } while (takeIf(","));
        NodeRef lambda = lambdaFrom(std::move(parameters), first);
        expect("}", "after the function");
        return lambda;
    }
    for (;;) {
        NodeRef key;
        if (peek().kind == TokenKind::Identifier && peek(1).is(":") && !isPattern(1)) {
            key = stringConstant(peek().source, peek().position);
            take();
        } else if (peek().kind == TokenKind::Identifier && peek(1).is(":") && !peek(1).spaceBefore && peek(3).is(",")) {
            key = stringConstant(peek().source, peek().position);
            take();
        } else {
            Mode mode = mode_;
            mode.pairAllowed = peek().isKeyword("def");  // a function is no key
            ModeScope keyScope(*this, mode);
            key = expression();
        }
        if (entries.empty() && takeIf("}")) return key;
        expect(":", "between key and value of the dictionary");
        NodeRef value = expression();
        entries.emplace_back(std::move(key), std::move(value));
        if (takeIf("}")) return makeRef<DictionaryLiteral>(std::move(entries), position);
        expect(",", "or '}' in the dictionary");
    }
}

NodeRef Parser::metacode() {
    DepthGuard guard(*this);
    SourcePosition position = take().position;
    Mode mode = insideBrackets();
    mode.queryOutside = mode_.inQuery || mode_.queryOutside;
    mode.inQuery = false;
    mode.metacodeCloses = true;
    mode.inMetacode = true;
    NodeRef code;
    {
        ModeScope scope(*this, mode);
        code = maybeAlias(expression());
        if (peek().is(">>")) splitFirstCharacter();
        if (!peek().is(">")) failUnexpected("'>' at the end of the metacode");
    }
    take();
    return makeRef<Metacode>(std::move(code), position);
}

// explain analyze(query) is explain(query, true); explain analyze select … takes the query itself.
// explain analyze (query), explain select …, explain analyze delete …: the statement is not run as the argument of a
// call.
bool Parser::startsExplain() const {
    if (!peek().isWord("explain") || peek(1).newlineBefore) return false;
    const bool isAnalyzed = peek(1).isWord("analyze") && !peek(2).newlineBefore;
    const Token &first = peek(isAnalyzed ? 2 : 1), &second = peek(isAnalyzed ? 3 : 2);
    if (isAnalyzed && first.is("(")) return true;
    if (first.isKeyword("select") || first.isKeyword("exec")) return true;
    if (first.isKeyword("insert")) return second.isKeyword("into");
    const bool changes = first.isKeyword("update") || first.isKeyword("delete");
    return changes && second.kind == TokenKind::Identifier;
}

NodeRef Parser::explainStatement() {
    const SourcePosition position = take().position;
    const bool isAnalyzed = peek().isWord("analyze");
    if (isAnalyzed) take();
    NodeRef statement = peek().is("(") ? parenthesised() : NodeRef(makeRef<Metacode>(query(), position));
    NodeList arguments{std::move(statement)};
    if (isAnalyzed) arguments.push_back(makeRef<Constant>(Value::ofBool(true), position));
    return callOf("explain", std::move(arguments), position);
}

// case when c then v … is iif(c, v, …); case x when v … compares x.
NodeRef Parser::caseExpression() {
    SourcePosition position = take().position;
    Mode mode = mode_;
    mode.inQuery = true;
    mode.newlineEnds = false;
    ModeScope scope(*this, mode);
    NodeRef subject;
    if (!peek().isKeyword("when")) subject = expression();
    std::vector<std::pair<NodeRef, NodeRef>> branches;
    while (takeKeyword("when")) {
        SourcePosition place = peek().position;
        NodeRef condition = expression();
        if (subject) condition = makeRef<Binary>(Operator::Eq, subject, std::move(condition), place);
        // A condition that is NULL is not met; comparisons never are.
        const bool compares = condition->kind == NodeKind::Binary && isComparison(static_cast<Binary&>(*condition).op);
        if (!compares) {
            NodeRef truth = callOf("bool", {std::move(condition)}, place);
            condition =
                makeRef<Binary>(Operator::Eq, std::move(truth), makeRef<Constant>(Value::ofBool(true), place), place);
        }
        expectKeyword("then", "after the condition");
        branches.emplace_back(std::move(condition), expression());
    }
    if (branches.empty()) failUnexpected("'when'");
    NodeRef result;
    if (takeKeyword("else")) {
        result = expression();
    } else {
        result = makeRef<Constant>(Value(), position);
    }
    expectKeyword("end", "after the last branch of the case");
    for (size_t i = branches.size(); i-- > 0;) {
        result =
            callOf("iif", {std::move(branches[i].first), std::move(branches[i].second), std::move(result)}, position);
    }
    return result;
}

}  // namespace pelorus
