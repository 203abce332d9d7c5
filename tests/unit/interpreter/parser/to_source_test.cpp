// Tests as a property that the source text of any generated code parses back to that code.
#include <catch2/catch.hpp>
#include <random>

#include "interpreter/parser/parser.h"
#include "runtime/code/query.h"
#include "runtime/format/to_source.h"
#include "runtime/value/vector.h"
#include "tests/support/code_shape.h"

using namespace pelorus;

namespace {

// Builds random expressions and queries of limited depth.
class CodeGenerator {
public:
    explicit CodeGenerator(uint32_t seed) : random_(seed) {}

    NodeRef expression(int depth) {
        switch (depth <= 0 ? below(3) : below(14)) {
            case 0:
                return name();
            case 1:
                return makeRef<Constant>(Value::ofInt(static_cast<int32_t>(below(100))), SourcePosition{});
            case 2:
                return constant();
            case 3:
            case 4:
            case 5:
                return binary(depth);
            case 6:
                return makeRef<Unary>(below(2) ? Operator::Neg : Operator::Not, expression(depth - 1),
                                      SourcePosition{});
            case 7:
                return makeRef<Ternary>(name(), expression(depth - 1), expression(depth - 1), SourcePosition{});
            case 8:
                return makeRef<Call>(name(), arguments(depth), Call::Style::Function, SourcePosition{});
            case 9:
                return makeRef<Index>(name(), items(depth), SourcePosition{});
            case 10:
                return makeRef<Member>(name(), "column", NodeRef(), SourcePosition{});
            case 11:
                return makeRef<ListLiteral>(items(depth), SourcePosition{});
            case 12:
                return makeRef<Partial>(name(), arguments(depth), SourcePosition{});
            default:
                return makeRef<Metacode>(expression(depth - 1), SourcePosition{});
        }
    }

    NodeRef query(int depth) {
        auto query = makeRef<Query>(SourcePosition{});
        query->verb = below(2) ? QueryVerb::Select : QueryVerb::Exec;
        for (size_t i = 0; i <= below(3); ++i) query->items.push_back({expression(depth), alias(), NodeRef()});
        query->table = name();
        for (size_t i = 0; i < below(3); ++i) query->where.push_back(expression(depth));
        if (below(2)) {
            query->grouping = below(2) ? GroupKind::Group : GroupKind::Context;
            query->groupBy.push_back({expression(depth), alias(), NodeRef()});
            if (below(2)) query->having = expression(depth);
        }
        if (below(2)) {
            OrderItem item;
            item.value = name();
            item.ascending = below(2) == 0;
            item.nullsFirst = item.ascending;
            query->orderBy.push_back(item);
        }
        if (below(2)) query->limit = makeRef<Constant>(Value::ofInt(5), SourcePosition{});
        return query;
    }

private:
    size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

    NodeRef name() {
        constexpr const char* kNames[] = {"a", "b", "price", "qty2"};
        return makeRef<Name>(kNames[below(4)], SourcePosition{});
    }

    std::vector<std::string> alias() {
        return below(2) ? std::vector<std::string>{"total"} : std::vector<std::string>();
    }

    NodeRef constant() {
        switch (below(5)) {
            case 0:
                return makeRef<Constant>(Value::ofDouble(0.1 * static_cast<double>(below(50))), SourcePosition{});
            case 1:
                return makeRef<Constant>(Value::ofString("x \"y\"\\ > z"), SourcePosition{});
            case 2:
                return makeRef<Constant>(Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2, 3})),
                                         SourcePosition{});
            case 3:
                return makeRef<Constant>(Value::scalar(Type::Date, 18000), SourcePosition{});
            default:
                return makeRef<Constant>(Value::ofBool(true), SourcePosition{});
        }
    }

    NodeRef binary(int depth) {
        constexpr Operator kOperators[] = {Operator::Or,    Operator::And,   Operator::Lt,     Operator::Eq,
                                           Operator::Gt,    Operator::BitOr, Operator::BitXor, Operator::BitAnd,
                                           Operator::Add,   Operator::Sub,   Operator::Mul,    Operator::Div,
                                           Operator::Ratio, Operator::Mod,   Operator::Join,   Operator::ShiftLeft,
                                           Operator::Seq,   Operator::Ge,    Operator::Ne};
        Operator op = kOperators[below(std::size(kOperators))];
        return makeRef<Binary>(op, expression(depth - 1), expression(depth - 1), SourcePosition{});
    }

    NodeList items(int depth) {
        NodeList list;
        for (size_t i = 0; i <= below(3); ++i) list.push_back(expression(depth - 1));
        return list;
    }

    std::vector<Argument> arguments(int depth) {
        std::vector<Argument> list;
        for (const NodeRef& item : items(depth)) list.push_back({"", item});
        return list;
    }

    std::mt19937 random_;
};

void parsesBack(const NodeRef& code, uint32_t seed) {
    const std::string text = toSource(*code);
    INFO("seed " << seed << ": " << text);
    NodeRef again;
    REQUIRE_NOTHROW(again = parseExpression(text));
    CHECK(shape(again) == shape(code));
}

}  // namespace

TEST_CASE("generated expressions print as text that parses back to them") {
    for (uint32_t seed = 0; seed < 3000; ++seed) parsesBack(CodeGenerator(seed).expression(4), seed);
}

TEST_CASE("generated queries print as text that parses back to them") {
    for (uint32_t seed = 0; seed < 1000; ++seed) parsesBack(CodeGenerator(seed).query(2), seed);
}
