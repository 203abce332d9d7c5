// Operands that standard SQL writes with words, in queries: date '1994-01-01', interval '3' month, extract(year from
// x), substring(x from 1 for 2), position('a' in x), trim(leading from x), cast(x as decimal(12, 2)), sum(x) filter
// (where c).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "common/string/ascii_case.h"
#include "common/time/calendar.h"
#include "interpreter/parser/parser_core.h"

namespace pelorus {

namespace {

constexpr int kAboveComparisons = 4;  // operands of operators that bind tighter than `in`

struct Word {
    std::string_view standard, ours;
};

// Returns our word for one of the standard's, in any letter case; empty for others.
template <size_t N>
std::string_view wordFor(const Token& token, const std::array<Word, N>& words) {
    for (const Word& word : words) {
        if (token.isKeyword(word.standard)) return word.ours;
    }
    return {};
}

constexpr std::array<Word, 16> kUnits{{{"year", "y"},
                                       {"years", "y"},
                                       {"month", "M"},
                                       {"months", "M"},
                                       {"week", "w"},
                                       {"weeks", "w"},
                                       {"day", "d"},
                                       {"days", "d"},
                                       {"hour", "H"},
                                       {"hours", "H"},
                                       {"minute", "m"},
                                       {"minutes", "m"},
                                       {"second", "s"},
                                       {"seconds", "s"},
                                       {"millisecond", "ms"},
                                       {"milliseconds", "ms"}}};

constexpr std::array<Word, 9> kFields{{{"year", "year"},
                                       {"quarter", "quarterOfYear"},
                                       {"month", "monthOfYear"},
                                       {"week", "weekOfYear"},
                                       {"day", "dayOfMonth"},
                                       {"doy", "dayOfYear"},
                                       {"hour", "hour"},
                                       {"minute", "minuteOfHour"},
                                       {"second", "secondOfMinute"}}};

constexpr std::array<Word, 18> kCasts{{{"int", "int"},
                                       {"integer", "int"},
                                       {"smallint", "short"},
                                       {"bigint", "long"},
                                       {"real", "float"},
                                       {"float", "double"},
                                       {"double", "double"},
                                       {"decimal", "decimal128"},
                                       {"numeric", "decimal128"},
                                       {"char", "string"},
                                       {"character", "string"},
                                       {"varchar", "string"},
                                       {"text", "string"},
                                       {"string", "string"},
                                       {"boolean", "bool"},
                                       {"date", "date"},
                                       {"time", "time"},
                                       {"timestamp", "timestamp"}}};

NodeRef sum(NodeRef x, int32_t more, SourcePosition position) {
    return makeRef<Binary>(Operator::Add, std::move(x), integerConstant(more, position), position);
}

}  // namespace

NodeRef Parser::standardForm() {
    const Token& token = peek();
    const Token& next = peek(1);
    const bool isBeforeText = next.kind == TokenKind::String && !next.newlineBefore;
    for (const std::string_view type : {"date", "timestamp", "time"}) {
        if (!token.isKeyword(type) || !isBeforeText) continue;
        const SourcePosition position = take().position;
        return callOf(type, {stringConstant(take().text, position)}, position);
    }
    if (token.isKeyword("interval") && !next.newlineBefore) {
        const bool hasUnit = !wordFor(peek(2), kUnits).empty();
        if (next.kind == TokenKind::String || (next.kind == TokenKind::Number && hasUnit)) return intervalForm();
    }
    if (!next.is("(")) return NodeRef();
    if (token.isKeyword("extract") && peek(3).isKeyword("from")) return extractForm();
    if (token.isKeyword("substring") || token.isKeyword("position") || token.isKeyword("trim") ||
        token.isKeyword("cast"))
        return wordsInBrackets();
    return NodeRef();
}

// interval '3' month, interval 3 month, interval '3 months'
NodeRef Parser::intervalForm() {
    const SourcePosition position = take().position;
    const Token& token = take();
    std::string_view amount = token.kind == TokenKind::String ? std::string_view(token.text) : token.source;
    std::string_view unit;
    if (const size_t blank = amount.find(' '); blank != std::string_view::npos) {
        Token word = token;
        word.kind = TokenKind::Identifier;
        word.source = amount.substr(blank + 1);
        unit = wordFor(word, kUnits);
        amount = amount.substr(0, blank);
    } else {
        unit = wordFor(peek(), kUnits);
        if (!unit.empty()) take();
    }
    int32_t number = 0;
    const auto [end, error] = std::from_chars(amount.data(), amount.data() + amount.size(), number);
    DurationUnit known{};
    if (error != std::errc() || end != amount.data() + amount.size() || !calendar::unitByName(unit, known)) {
        throw syntaxError(position, "An interval is a whole number and one unit, as interval '3' month.");
    }
    return makeRef<Constant>(Value::ofDuration(number, static_cast<int32_t>(known)), position);
}

// extract(year from x)
NodeRef Parser::extractForm() {
    const SourcePosition position = take().position;
    take();
    const Token& field = peek();
    const std::string_view function = wordFor(field, kFields);
    if (function.empty()) {
        fail(field, fmt::format("extract knows no field {}.", field.source),
             "Write year, quarter, month, week, day, doy, hour, minute or second.");
    }
    take();
    take();  // from
    ModeScope scope(*this, insideBrackets());
    NodeRef x = expression();
    expect(")", "after what the field is taken from");
    return callOf(function, {std::move(x)}, position);
}

// Forms whose brackets may hold words instead of commas; with commas they are calls.
NodeRef Parser::wordsInBrackets() {
    const size_t first = at_, level = closing(at_ + 1);
    const auto holdsWord = [&](std::string_view word) {
        int depth = 0;
        for (size_t i = first + 1; i < level; ++i) {
            const Token& token = tokens_[i];
            if (token.is("(") || token.is("[") || token.is("{")) ++depth;
            if (token.is(")") || token.is("]") || token.is("}")) --depth;
            if (depth == 1 && token.isKeyword(word)) return true;
        }
        return false;
    };
    const Token& word = peek();
    if (word.isKeyword("cast")) return holdsWord("as") ? castForm() : NodeRef();
    if (word.isKeyword("position")) return holdsWord("in") ? positionForm() : NodeRef();
    if (word.isKeyword("trim")) return holdsWord("from") ? trimForm() : NodeRef();
    return known("substring").role == NameRole::Unknown ? substringForm() : NodeRef();
}

// substring(x from 2 for 3), substring(x, 2, 3): the first character is number 1.
NodeRef Parser::substringForm() {
    const SourcePosition position = take().position;
    take();
    ModeScope scope(*this, insideBrackets());
    NodeList parts{expression()};
    if (!takeKeyword("from")) expect(",", "or 'from' and the number of the first character");
    parts.push_back(sum(expression(), -1, position));
    if (takeKeyword("for") || takeIf(",")) parts.push_back(expression());
    expect(")", "after the part of the text");
    return callOf("substr", std::move(parts), position);
}

// position('a' in x): 0 where it is not in x.
NodeRef Parser::positionForm() {
    const SourcePosition position = take().position;
    take();
    ModeScope scope(*this, insideBrackets());
    NodeRef searched = binary(kAboveComparisons);
    expectKeyword("in", "and the text to look in");
    NodeRef text = expression();
    expect(")", "after the text to look in");
    return sum(callOf("strpos", {std::move(text), std::move(searched)}, position), 1, position);
}

// trim(from x), trim(both from x), trim(leading from x), trim(trailing from x)
NodeRef Parser::trimForm() {
    const SourcePosition position = take().position;
    take();
    std::string_view function = "trim";
    if (takeKeyword("leading")) {
        function = "ltrim";
    } else if (takeKeyword("trailing")) {
        function = "rtrim";
    } else {
        takeKeyword("both");
    }
    if (peek().kind == TokenKind::String && peek().text == " ") take();
    if (!peek().isKeyword("from"))
        fail(peek(), "trim removes blanks only.", "Write trim(both from x), or regexReplace.");
    take();
    ModeScope scope(*this, insideBrackets());
    NodeRef text = expression();
    expect(")", "after the text");
    return callOf(function, {std::move(text)}, position);
}

// sum(x) filter (where c) is sum(iif(c, x, NULL)): aggregates pass over NULL. count(*) counts the rows where c holds.
NodeRef Parser::filtered(NodeRef call) {
    const Token word = take();
    take();
    take();
    ModeScope scope(*this, insideBrackets());
    NodeRef condition = expression();
    expect(")", "after the condition");
    if (call->kind != NodeKind::Call || static_cast<const Call&>(*call).arguments.empty())
        fail(word, "filter belongs to an aggregate of a column.");
    const auto& given = static_cast<const Call&>(*call);
    std::vector<Argument> arguments = given.arguments;
    const NodeRef nothing = makeRef<Constant>(Value(), word.position);
    const auto where = [&](NodeRef value) {
        return callOf("iif", {condition, std::move(value), nothing}, word.position);
    };
    // count(distinct x): the values of the rows where it holds.
    if (const auto* distinct =
            arguments[0].value->kind == NodeKind::Call ? static_cast<const Call*>(arguments[0].value.get()) : nullptr;
        distinct && distinct->style == Call::Style::Prefix && distinct->callee->kind == NodeKind::Name &&
        isEqualInAnyCase(static_cast<const Name&>(*distinct->callee).name, "distinct")) {
        arguments[0].value = callOf("distinct", {where(distinct->arguments[0].value)}, distinct->position);
        return makeRef<Call>(given.callee, std::move(arguments), given.style, given.position);
    }
    NodeRef value = arguments[0].value->kind == NodeKind::Star ? integerConstant(1, word.position) : arguments[0].value;
    arguments[0].value = where(std::move(value));
    return makeRef<Call>(given.callee, std::move(arguments), given.style, given.position);
}

// cast(x as decimal(12, 2))
NodeRef Parser::castForm() {
    const SourcePosition position = take().position;
    take();
    ModeScope scope(*this, insideBrackets());
    NodeRef value = expression();
    // '3' is a text here, and no CHAR.
    if (value->kind == NodeKind::Constant && static_cast<const Constant&>(*value).value.type() == Type::Char) {
        const Value& letter = static_cast<const Constant&>(*value).value;
        if (letter.isScalar() && !letter.isNull())
            value = stringConstant(std::string(1, static_cast<char>(letter.integer())), value->position);
    }
    expectKeyword("as", "and a type");
    const Token& type = peek();
    const std::string_view function = wordFor(type, kCasts);
    if (function.empty()) {
        fail(type, fmt::format("cast knows no type {}.", type.source), "Write cast(x, INT), or int(x), double(x) …");
    }
    take();
    takeKeyword("precision");
    takeKeyword("varying");
    std::vector<NodeRef> sizes;
    if (takeIf("(")) {
        do sizes.push_back(expression());
        while (takeComma());
        expect(")", "after the size of the type");
    }
    expect(")", "after the type");
    NodeList arguments{std::move(value)};
    const bool isDecimal = function == "decimal128";
    if (isDecimal) arguments.push_back(sizes.size() > 1 ? sizes[1] : integerConstant(0, position));
    return callOf(function, std::move(arguments), position);
}

}  // namespace pelorus
