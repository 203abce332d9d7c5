// Expressions: one loop over the table of precedence. Operands are parsed in operand_parser.cpp. Section 5 of the
// language.
#include <algorithm>
#include <array>

#include "interpreter/parser/keywords.h"
#include "interpreter/parser/parser_core.h"
#include "runtime/format/to_source.h"

namespace pelorus {

namespace {

constexpr int kComparisonLevel = 3;
constexpr int kFunctionLevel = 10;
constexpr int kPairLevel = 15;
constexpr int kAtLevel = 2;

// Operators between two operands.
bool isInfix(Operator op) {
    return op != Operator::Not && op != Operator::Neg && op != Operator::EachAt;
}

}  // namespace

// ---- the role of the next token

bool Parser::isStatementKeyword(const Token& token) {
    if (token.kind != TokenKind::Identifier) return false;
    return std::find(kStatementWords.begin(), kStatementWords.end(), token.source) != kStatementWords.end() ||
           token.isKeyword("select") || token.isKeyword("exec");
}

bool Parser::isClauseWord(const Token& token) const {
    if ((!mode_.inQuery && !mode_.queryOutside) || token.kind != TokenKind::Identifier) return false;
    return std::any_of(kClauseWords.begin(), kClauseWords.end(),
                       [&](std::string_view word) { return token.isKeyword(word); });
}

bool Parser::isConditionWord(const Token& token) {
    if (token.kind != TokenKind::Identifier) return false;
    return std::any_of(kConditionWords.begin(), kConditionWords.end(),
                       [&](std::string_view word) { return token.isKeyword(word); }) ||
           token.isWord("notBetween") || token.isWord("notLike") || token.isWord("notIn");
}

bool Parser::startsOperand(size_t ahead) const {
    const Token& token = peek(ahead);
    if (mode_.newlineEnds && token.newlineBefore) return false;
    switch (token.kind) {
        case TokenKind::End:
            return false;
        case TokenKind::Identifier: {
            if (startsLiteral(ahead)) return true;
            if (token.isKeyword("select") || token.isKeyword("exec") || token.isWord("def")) return true;
            return !isStatementKeyword(token) && !isClauseWord(token);
        }
        case TokenKind::Punctuation:
            if (token.is("&"))
                return peek(ahead + 1).kind == TokenKind::Identifier && !peek(ahead + 1).spaceBefore &&
                       token.spaceBefore;
            return token.is("(") || token.is("[") || token.is("{") || token.is("!") || token.is("::");
        default:
            return true;
    }
}

// f:E: one of the pattern letters, and perhaps an assembly rule. A blank may precede the colon (`a f :E b`) where a
// function is before it and an operand after, so that it is not the colon of a pair.
bool Parser::isPattern(size_t ahead) const {
    const Token& colon = peek(ahead);
    const Token& letters = peek(ahead + 1);
    if (!colon.is(":") || letters.spaceBefore || letters.kind != TokenKind::Identifier) return false;
    std::string_view text = letters.source;
    if (text.empty() || text.size() > 2) return false;
    if (std::string_view("ELRPOATGXCUHV").find(text[0]) == std::string_view::npos) return false;
    if (text.size() == 2 && std::string_view("DCUK").find(text[1]) == std::string_view::npos) return false;
    if (!colon.spaceBefore) return true;
    if (!mode_.pairAllowed || at_ + ahead == 0 || colon.newlineBefore) return false;
    const Token& before = tokens_[at_ + ahead - 1];
    bool function = before.is("}");
    if (before.kind == TokenKind::Punctuation && operatorBySymbol(before.source)) function = !before.is(":");
    if (before.kind == TokenKind::Identifier) function = known(std::string(before.source)).role == NameRole::Function;
    return function && (startsOperand(ahead + 2) || peek(ahead + 2).is("("));
}

size_t Parser::functionEnd(size_t ahead) const {
    size_t end = ahead;
    if (peek(end).is("{")) {
        end = closing(at_ + end) - at_ + 1;
    } else if (peek(end).is("&") || peek(end).is("::")) {
        end += 2;
    } else {
        end += 1;
    }
    while (peek(end).is("{") && !peek(end).spaceBefore) end = closing(at_ + end) - at_ + 1;
    while (isPattern(end)) end += 2;
    return end;
}

// is null, is not null, not in, not like, not between: conditions are written outside of queries, too, as in
// where = <x is null>.
bool Parser::startsPredicate() const {
    const Token& next = peek(1);
    if (peek().isKeyword("is")) return next.isWord("null") || next.isWord("NULL") || next.isKeyword("not");
    return peek().isKeyword("not") && (next.isKeyword("in") || next.isKeyword("like") || next.isKeyword("between"));
}

// After a bare name: whether a function between two operands follows, or the argument of a prefix call. `a f b` and `f
// g b` look alike; the known roles of the names decide.
bool Parser::meansInfix(const NodeRef& left) const {
    const Token& next = peek();
    bool name = next.kind == TokenKind::Identifier && !startsLiteral(0);
    if (!name && !next.is("{")) return false;
    if (name) {
        const OperatorFacts* op = operatorByFunction(next.source);
        // typestr cast(x, INT): a call, for a function has no use as an operand of one.
        const bool call = peek(1).is("(") && !peek(1).spaceBefore && !mode_.inQuery && left->kind == NodeKind::Name &&
                          known(static_cast<const Name&>(*left).name).role == NameRole::Function;
        if (call) return false;
        if (op && isInfix(op->op)) return true;
        if (startsPredicate()) return true;
        if (mode_.inQuery && isConditionWord(next)) return true;
        if (isStatementKeyword(next)) return false;
    }
    size_t end = functionEnd(0);
    const Token& after = peek(end);
    if (after.is("(") && !after.spaceBefore) return false;
    bool minus = after.is("-") && after.spaceBefore && !peek(end + 1).spaceBefore;
    if (!startsOperand(end) && !minus) return false;
    if (!after.spaceBefore) return false;
    if (name && end == 1) {
        Known function = known(std::string(next.source));
        if (function.role == NameRole::Variable) return false;
        if (function.minArguments >= 2) return true;
        if (function.maxArguments == 1) return false;
    }
    if (left->kind != NodeKind::Name) return false;
    return known(static_cast<const Name&>(*left).name).role != NameRole::Function;
}

// An operator without operands is a function value: reduce(+, x), +:E.
bool Parser::isOperatorValue() const {
    const Token& token = peek();
    if (token.kind != TokenKind::Punctuation) return false;
    const OperatorFacts* op = operatorBySymbol(token.source);
    if (!op || op->op == Operator::Pair) return false;
    const Token& next = peek(1);
    if (isPattern(1)) return true;
    if (next.is("{") && !next.spaceBefore && op->op != Operator::Lt && op->op != Operator::Not && token.source != "-")
        return true;
    return next.is(",") || next.is(")") || next.is("]") || next.is("}") || next.is(";") || next.kind == TokenKind::End;
}

bool Parser::closesMetacode() const {
    if (!mode_.metacodeCloses) return false;
    const Token& next = peek(1);
    if (next.kind == TokenKind::End || next.newlineBefore) return true;
    if (next.is("-") || next.is("<")) return false;
    if (next.is(">") || next.is(".")) return true;
    return !startsOperand(1) ||
           (next.kind == TokenKind::Identifier && isStatementKeyword(next) && !next.isKeyword("select"));
}

Parser::Infix Parser::peekInfix() const {
    const Token& token = peek();
    if (!sameLine()) {
        // A line that begins with a word of a condition continues the query, and so does one that begins with an
        // operator which begins no statement.
        const bool isWord = token.isKeyword("and") || token.isKeyword("or");
        const bool isSign = token.is("/") || token.is("*") || token.is("+") || token.is("=") || token.is("<=") ||
                            token.is(">=") || token.is("<>") || token.is("!=") ||
                            (token.is("-") && peek(1).spaceBefore);
        if (!mode_.inQuery || (!isWord && !isSign)) return {};
    }
    if (token.kind == TokenKind::Identifier && !startsLiteral(0)) {
        if (isStatementKeyword(token) || isClauseWord(token) || (mode_.inQuery && startsTail())) return {};
        if (startsPredicate() && token.isKeyword("is")) return {Infix::Kind::IsNull, Operator::Eq, kComparisonLevel};
        if (startsPredicate()) return {Infix::Kind::NotPredicate, Operator::Not, kComparisonLevel};
        if (mode_.inQuery) {
            if (token.isKeyword("case")) return {};  // begins an expression, so it is no function between two
            if (token.isKeyword("and")) return {Infix::Kind::Operator, Operator::And, 2};
            if (token.isKeyword("or")) return {Infix::Kind::Operator, Operator::OrIgnoringNull, 1};
            if (token.isKeyword("in")) return {Infix::Kind::Operator, Operator::In, kComparisonLevel};
            if (token.isKeyword("like")) return {Infix::Kind::Operator, Operator::Like, kComparisonLevel};
            if (token.isKeyword("between")) return {Infix::Kind::Operator, Operator::Between, kComparisonLevel};
            if (token.isKeyword("is")) return {Infix::Kind::IsNull, Operator::Eq, kComparisonLevel};
            if (token.isKeyword("not")) return {Infix::Kind::NotPredicate, Operator::Not, kComparisonLevel};
            // price notBetween 1 and 2, name notLike "a%", x notIn y
            if (token.isWord("notBetween") || token.isWord("notLike") || token.isWord("notIn")) {
                return {Infix::Kind::NotPredicate, Operator::Not, kComparisonLevel};
            }
            if (token.isKeyword("ilike")) return {Infix::Kind::Function, Operator::Like, kComparisonLevel};
        }
        // The frame of a window: order by x + 1 rows 2 preceding.
        const bool isFrame = token.isKeyword("rows") || token.isKeyword("range");
        if (mode_.inQuery && isFrame && (peek(1).isKeyword("between") || peek(2).isKeyword("preceding"))) return {};
        const OperatorFacts* op = operatorByFunction(token.source);
        const bool isOperator = op && isInfix(op->op) && !isPattern(1);
        if (isOperator && (!mode_.inQuery || startsOperand(1) || peek(1).is("-")))
            return {Infix::Kind::Operator, op->op, op->precedence};
        // sum(x) total from t: a name before the end of a select-list entry is its alias.
        if (mode_.inQuery && !startsOperand(functionEnd(0)) && !peek(functionEnd(0)).is("-")) return {};
        // x at x > 3 takes the comparison as its index.
        if (token.isWord("at")) return {Infix::Kind::Function, Operator::Add, kAtLevel};
        return {Infix::Kind::Function, Operator::Add, kFunctionLevel};
    }
    if (token.kind != TokenKind::Punctuation) return {};
    if (token.is("{") || (token.is("::") && token.spaceBefore))
        return {Infix::Kind::Function, Operator::Add, kFunctionLevel};
    if (token.is("=")) {
        if (!mode_.inQuery && !mode_.inMetacode) return {};
        return {Infix::Kind::Operator, Operator::Eq, kComparisonLevel};
    }
    const OperatorFacts* op = operatorBySymbol(token.source);
    if (!op || !isInfix(op->op)) return {};
    if (op->op == Operator::Pair && !mode_.pairAllowed) return {};
    if (isPattern(1)) return {Infix::Kind::Function, Operator::Add, kFunctionLevel};
    if ((op->op == Operator::Gt || op->op == Operator::ShiftRight) && closesMetacode()) return {};
    return {Infix::Kind::Operator, op->op, op->precedence};
}

// ---- operators

NodeRef Parser::binary(int lowest) {
    DepthGuard guard(*this);
    const size_t first = at_;
    NodeRef left;
    // x[:b], x[:] omit the left side of a pair at the beginning of an element.
    const auto itemBegins = [&] {
        const Token& before = tokens_[at_ - 1];
        return before.is("[") || before.is(",") || before.is("(");
    };
    if (peek().is(":") && mode_.pairAllowed && !mode_.newlineEnds && lowest <= kPairLevel && at_ > 0 && itemBegins()) {
        left = makeRef<Omitted>(peek().position);
    } else {
        left = unary();
    }
    bool chained = false;  // `left` ends in a comparison made by this loop
    for (int length = 0;; ++length) {
        Infix infix = peekInfix();
        if (infix.kind == Infix::Kind::None || infix.precedence < lowest) return left;
        if (length >= kMaxChain) {
            fail(peek(), "More than " + std::to_string(kMaxChain) + " operators follow each other without brackets.",
                 "Use a vector and an aggregate, or give parts a name.");
        }
        SourcePosition position = peek().position;
        bool comparison = false;
        switch (infix.kind) {
            case Infix::Kind::Function: {
                NodeRef function = infixFunction();
                NodeRef right = binary(infix.precedence + 1);
                std::vector<Argument> list = {{"", std::move(left)}, {"", std::move(right)}};
                left = makeRef<Call>(std::move(function), std::move(list), Call::Style::Infix, position);
                break;
            }
            case Infix::Kind::IsNull: {
                take();
                bool negated = takeKeyword("not");
                // NULL is a value like others when it is compared: x is distinct from y is x != y.
                if (peek().isKeyword("distinct") && peek(1).isKeyword("from")) {
                    take();
                    take();
                    left = makeRef<Binary>(negated ? Operator::Eq : Operator::Ne, std::move(left),
                                           binary(kComparisonLevel + 1), position);
                    break;
                }
                if (!takeKeyword("null") && !takeKeyword("NULL")) failUnexpected("'null' after 'is'");
                left = callOf("isNull", {std::move(left)}, position);
                if (negated) left = makeRef<Unary>(Operator::Not, std::move(left), position);
                break;
            }
            case Infix::Kind::NotPredicate: {
                const Token negation = take();
                Infix predicate;
                if (negation.isWord("notBetween") || negation.isWord("notLike") || negation.isWord("notIn")) {
                    const Operator op = negation.isWord("notBetween") ? Operator::Between
                                        : negation.isWord("notLike")  ? Operator::Like
                                                                      : Operator::In;
                    NodeRef right = op == Operator::Between ? betweenRange() : binary(kComparisonLevel + 1);
                    left = makeRef<Unary>(Operator::Not,
                                          makeRef<Binary>(op, std::move(left), std::move(right), position), position);
                    break;
                }
                predicate = peekInfix();
                const bool isKnown = predicate.op == Operator::In || predicate.op == Operator::Like ||
                                     predicate.op == Operator::Between || predicate.precedence == kComparisonLevel;
                if (!isKnown) failUnexpected("in, like or between after 'not'");
                NodeRef positive;
                if (predicate.kind == Infix::Kind::Function) {
                    NodeRef function = infixFunction();
                    std::vector<Argument> list = {{"", std::move(left)}, {"", binary(kComparisonLevel + 1)}};
                    positive = makeRef<Call>(std::move(function), std::move(list), Call::Style::Infix, position);
                } else {
                    take();
                    NodeRef right = predicate.op == Operator::Between ? betweenRange() : binary(kComparisonLevel + 1);
                    positive = makeRef<Binary>(predicate.op, std::move(left), std::move(right), position);
                }
                left = makeRef<Unary>(Operator::Not, std::move(positive), position);
                break;
            }
            default: {
                take();
                bool word = tokens_[at_ - 1].kind == TokenKind::Identifier;
                NodeRef right;
                if (infix.op == Operator::Pair && (peek().is("]") || peek().is(",") || peek().is(")"))) {
                    right = makeRef<Omitted>(peek().position);
                } else if (word && infix.op == Operator::Between) {
                    right = betweenRange();
                } else {
                    right = binary(infix.precedence + 1);
                    const bool decides = isComparison(infix.op) || infix.op == Operator::And || isOr(infix.op);
                    // In brackets, the closing one would follow the ternary.
                    if (decides && right->kind == NodeKind::Ternary && ternaryEnd_ == at_) {
                        noteTernaryOperand(first, infix.op, left, static_cast<const Ternary&>(*right));
                    }
                }
                comparison = isComparison(infix.op);
                left = comparison ? this->comparison(infix.op, std::move(left), std::move(right), chained, position)
                                  : NodeRef(makeRef<Binary>(infix.op, std::move(left), std::move(right), position));
            }
        }
        chained = comparison;
    }
}

// x == 1 ? 5 : 9 is x == (1 ? 5 : 9) in this language, and (x == 1) ? 5 : 9 in most others. `first` is the first token
// of x.
void Parser::noteTernaryOperand(size_t first, Operator op, const NodeRef& left, const Ternary& right) {
    const std::string whole = sourceOnOneLine(first, at_);
    constexpr size_t kLongestShown = 80;
    std::string note = "x == 1 ? 5 : 9 is read as x == (1 ? 5 : 9). Write (x == 1) ? 5 : 9 if you mean that.";
    if (whole.size() <= kLongestShown) {
        const std::string begin = toSource(*left) + " " + facts(op).symbol + " ";
        const std::string condition = toSource(*right.condition);
        const std::string branches = " ? " + toSource(*right.then) + " : " + toSource(*right.otherwise);
        note = whole + " is read as " + begin + "(" + condition + branches + "). Write (" + begin + condition + ")" +
               branches + " if you mean that.";
    }
    notes_.push_back({tokens_[ternarySign_].position, std::move(note)});
}

// a < b <= c is (a < b) && (b <= c).
NodeRef Parser::comparison(Operator op, NodeRef left, NodeRef right, bool chained, SourcePosition position) {
    if (!chained) return makeRef<Binary>(op, std::move(left), std::move(right), position);
    const auto* last = static_cast<const Binary*>(left.get());
    if (last->op == Operator::And) last = static_cast<const Binary*>(last->right.get());
    NodeRef next = makeRef<Binary>(op, last->right, std::move(right), position);
    return makeRef<Binary>(Operator::And, std::move(left), std::move(next), position);
}

// between a and b, between a:b.
NodeRef Parser::betweenRange() {
    NodeRef low = binary(kComparisonLevel + 1);
    if (!peek().isKeyword("and")) return low;
    bool isPair = low->kind == NodeKind::Binary && static_cast<const Binary&>(*low).op == Operator::Pair;
    if (isPair) return low;
    SourcePosition position = take().position;
    NodeRef high = binary(kComparisonLevel + 1);
    return makeRef<Binary>(Operator::Pair, std::move(low), std::move(high), position);
}

// The function of `x f y`: a name, perhaps partly applied or with a pattern, a lambda in braces, an operator's pattern.
NodeRef Parser::infixFunction() {
    NodeRef function;
    SourcePosition position = peek().position;
    if (peek().is("{")) {
        function = braces();
    } else if (peek().is("::")) {
        take();
        function = makeRef<Name>("::" + expectName("a function name after '::'"), position);
    } else if (peek().kind == TokenKind::Punctuation) {
        function = operatorValue();
    } else {
        function = makeRef<Name>(std::string(take().source), position);
    }
    while (peek().is("{") && !peek().spaceBefore) {
        take();
        std::vector<Argument> fixed = arguments("}", function);
        function = makeRef<Partial>(std::move(function), std::move(fixed), position);
    }
    while (isPattern(0)) function = higherOrder(std::move(function));
    return function;
}

NodeRef Parser::higherOrder(NodeRef function) {
    SourcePosition position = take().position;
    std::string_view letters = take().source;
    return makeRef<HigherOrder>(std::move(function), letters[0], letters.size() > 1 ? letters[1] : '\0', position);
}

NodeRef Parser::unary() {
    DepthGuard guard(*this);
    const Token& token = peek();
    SourcePosition position = token.position;
    if (token.is("-") && !isOperatorValue()) {
        if (peek(1).kind == TokenKind::Number && !peek(1).spaceBefore) return postfix();
        take();
        return makeRef<Unary>(Operator::Neg, unary(), position);
    }
    if (token.is("!") && !isOperatorValue()) {
        take();
        return makeRef<Unary>(Operator::Not, unary(), position);
    }
    if (mode_.inQuery && token.isKeyword("not")) {
        take();
        return makeRef<Unary>(Operator::Not, binary(kComparisonLevel), position);
    }
    return postfix();
}

}  // namespace pelorus
