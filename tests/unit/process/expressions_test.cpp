// An expression that is bound and computed in batches, and a region of a script, have the results of the interpreter:
// trees of operators, choices and elementwise functions over columns of all types, drawn at random by PELORUS_SEED;
// PELORUS_EXPRESSIONS sets how many.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <set>

#include "common/error.h"
#include "interpreter/bytecode/region.h"
#include "interpreter/compiler/compiler.h"
#include "interpreter/expression/batch_program.h"
#include "interpreter/expression/bind.h"
#include "interpreter/vm/vm.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "runtime/value/cast.h"
#include "runtime/value/vector.h"
#include "tests/unit/process/drawn_calls.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

constexpr int64_t kRows = 5000;  // strips and a rest
constexpr size_t kNumbers = 7;   // columns, the first ones

int fromEnvironment(const char* name, int otherwise) {
    const char* given = std::getenv(name);
    return given ? std::atoi(given) : otherwise;
}

unsigned seedOfRun() {
    const int given = fromEnvironment("PELORUS_SEED", 0);
    return given ? static_cast<unsigned>(given) : std::random_device()() >> 1;
}

// One column of each type, NULL in some rows.
struct Columns {
    TableSchema schema;
    std::vector<Value> values;

    explicit Columns(std::mt19937& random) {
        for (const auto& [type, elements] : itemsByType()) {
            const Value three = wholeProcess().run("(" + elements + ")");
            std::vector<int32_t> places(kRows);
            for (int32_t& place : places) {
                place = static_cast<int32_t>(random() % 4);
                if (place == 3) place = -1;
            }
            const Ref<Vector> column = three.vector().gather(places.data(), kRows);
            std::string name = "c" + std::to_string(schema.size());
            schema.push_back({.name = std::move(name), .type = column->type(), .scale = column->scale()});
            values.push_back(Value::of(column));
        }
    }
};

class Trees {
public:
    // `haveRows`: all columns are vectors.
    Trees(const TableSchema& columns, bool haveRows, std::mt19937& random)
        : columns_(columns), haveRows_(haveRows), random_(random) {
        for (const std::string_view name : FunctionRegistry::instance().names()) {
            const BuiltinFunction& f = *FunctionRegistry::instance().find(name);
            const Declaration& d = f.declaration();
            const bool isElementwise = d.kind == FunctionKind::Elementwise || d.elementwiseFrom >= 0;
            if (isElementwise && d.effect == Effect::Pure && d.facet == Facet::Public) functions_.push_back(&f);
        }
        std::sort(functions_.begin(), functions_.end(), [](auto a, auto b) { return a->name() < b->name(); });
    }

    NodeRef draw(int depth) {
        const unsigned choice = random_() % 10;
        if (depth == 0 || choice == 0) return leaf();
        if (choice < 4) {
            static constexpr Operator kOperators[] = {
                Operator::Add,   Operator::Sub, Operator::Mul,    Operator::Div,       Operator::Ratio,
                Operator::Mod,   Operator::Lt,  Operator::Ge,     Operator::Eq,        Operator::Ne,
                Operator::And,   Operator::Or,  Operator::BitAnd, Operator::ShiftLeft, Operator::OrIgnoringNull,
                Operator::BitXor};
            const Operator op = kOperators[random_() % std::size(kOperators)];
            NodeRef left = draw(depth - 1);
            // A scalar on the left of && and || may decide before there are rows.
            const bool isLogical = op == Operator::And || isOr(op);
            return makeRef<Binary>(isLogical && !hasRows(left) ? Operator::Add : op, left, draw(depth - 1), nowhere_);
        }
        if (choice == 4)
            return makeRef<Unary>(random_() % 2 ? Operator::Neg : Operator::Not, draw(depth - 1), nowhere_);
        if (choice == 5) return call("iif", {draw(depth - 1), draw(depth - 1), draw(depth - 1)});
        const BuiltinFunction& f = *functions_[random_() % functions_.size()];
        drawn_.insert(f.name());
        const int least = std::max({f.signature().minArguments(), int{f.declaration().elementwiseFrom}, 1});
        std::vector<NodeRef> arguments;
        for (int i = 0; i < least; ++i) {
            const bool isItem = i >= kDeclaredParameters || f.declaration().takes[size_t(i)].special == Takes::Item;
            arguments.push_back(isItem ? draw(depth - 1) : constant());
        }
        return call(f.name(), std::move(arguments));
    }
    size_t functionsDrawn() const { return drawn_.size(); }
    size_t functions() const { return functions_.size(); }

private:
    bool hasRows(const NodeRef& tree) const {
        bool found = false;
        rewrite(tree, [&](const NodeRef& part) {
            const auto isNamed = [&](const ColumnSchema& c) { return c.name == static_cast<const Name&>(*part).name; };
            found = found || (part->kind == NodeKind::Name && std::any_of(columns_.begin(), columns_.end(), isNamed));
            return NodeRef();
        });
        return found && haveRows_;
    }
    NodeRef leaf() {
        if (random_() % 3 == 0) return constant();
        // Draws numbers more often than not: mostly, values of random types are refused.
        const size_t among = random_() % 4 ? kNumbers : columns_.size();
        return makeRef<Name>(columns_[random_() % among].name, nowhere_);
    }
    NodeRef constant() {
        const auto& from = samples().plain;
        const Sample* chosen = &from[random_() % from.size()];
        while (!chosen->value.isScalar()) chosen = &from[random_() % from.size()];
        return makeRef<Constant>(random_() % 8 == 0 ? Value() : chosen->value, nowhere_);
    }
    NodeRef call(std::string_view name, std::vector<NodeRef> given) {
        std::vector<Argument> arguments;
        for (NodeRef& a : given) arguments.push_back({"", std::move(a)});
        return makeRef<Call>(makeRef<Name>(std::string(name), nowhere_), std::move(arguments), Call::Style::Function,
                             nowhere_);
    }

    const TableSchema& columns_;
    const bool haveRows_;
    std::mt19937& random_;
    const SourcePosition nowhere_{};
    std::vector<const BuiltinFunction*> functions_;
    std::set<std::string_view> drawn_;
};

struct Outcome {
    Value value;
    bool failed = false;
};

template <class Run>
Outcome outcomeOf(const Run& run) {
    try {
        return {.value = run()};
    } catch (const InternalError&) {
        throw;
    } catch (const Error&) {
        return {.failed = true};
    }
}

// Repeats a scalar for all rows; the type is the one that binding determined.
Value asColumn(const Value& given, Type type) {
    return given.isScalar() ? Value::of(Vector::filled(type, kRows, cast(given, type))) : given;
}

bool sameItems(const Value& a, const Value& b) {
    if (!a.isTypedVector() || !b.isTypedVector() || a.type() != b.type() || a.size() != b.size()) return false;
    for (int64_t i = 0; i < a.size(); ++i) {
        if (!identical(a.at(i), b.at(i))) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("expressions computed in batches give what the interpreter gives", "[expressions]") {
    const unsigned seed = seedOfRun();
    const int wanted = fromEnvironment("PELORUS_EXPRESSIONS", 8000);
    INFO("PELORUS_SEED=" << seed);
    std::mt19937 random(seed);
    Request request{Principal::owner()};
    request.print = [](std::string_view) {};
    Context context(wholeProcess().services(), request);
    const Columns columns(random);
    Trees trees(columns.schema, true, random);
    std::vector<int> numbers(columns.schema.size());
    std::vector<std::string> names;
    for (size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = static_cast<int>(i);
        names.push_back(columns.schema[i].name);
    }
    int bound = 0, failed = 0, withoutTypes = 0;
    for (int n = 0; n < wanted; ++n) {
        const NodeRef tree = trees.draw(1 + static_cast<int>(random() % 3));
        const BoundRef expression = bindExpression(tree, columns.schema, context);
        if (!expression || !expression->isElementwise || expression->kind == Bound::Kind::Constant) {
            ++withoutTypes;
            continue;
        }
        ++bound;
        INFO(toSource(*tree));
        const Type type = expression->type.type;
        const Outcome batch =
            outcomeOf([&] { return BatchProgram(expression, numbers).run(context, columns.values, kRows); });
        const Ref<Closure> closure = compileExpression(tree, names, nullptr, wholeProcess().services());
        std::vector<Value> arguments = columns.values;
        const Outcome machine = outcomeOf([&] { return callFunction(*closure, context, arguments); });
        CHECK(batch.failed == machine.failed);
        failed += batch.failed;
        if (batch.failed || machine.failed) continue;
        CHECK(batch.value.type() == type);
        CHECK(sameItems(batch.value, asColumn(machine.value, type)));
    }
    WARN(bound << " expressions bound, " << failed << " of them failed alike, " << withoutTypes << " without a type; "
               << trees.functionsDrawn() << " of " << trees.functions() << " functions met");
    CHECK(bound - failed > wanted / 10);
}

// Vectors of numbers, and scalars of all types: names that regions have for their leaves.
TEST_CASE("regions with scalars of all types give what single instructions give", "[expressions]") {
    const unsigned seed = seedOfRun();
    const int wanted = fromEnvironment("PELORUS_EXPRESSIONS", 8000);
    INFO("PELORUS_SEED=" << seed);
    std::mt19937 random(seed);
    Request request{Principal::owner()};
    request.print = [](std::string_view) {};
    Context context(wholeProcess().services(), request);
    const Columns columns(random);
    TableSchema schema;
    std::vector<Value> leaves;
    std::vector<std::string> names;
    for (size_t i = 0; i < columns.schema.size(); ++i) {
        // One column at least, or there is no region.
        const bool isScalar = i >= kNumbers || (i > 0 && random() % 4 == 0);
        leaves.push_back(isScalar ? columns.values[i].at(static_cast<int64_t>(random() % kRows)) : columns.values[i]);
        schema.push_back(columns.schema[i]);
        schema.back().name = std::to_string(i);
        names.push_back(schema.back().name);
    }
    std::vector<const Value*> given;
    for (const Value& leaf : leaves) given.push_back(&leaf);
    Trees trees(schema, false, random);
    int ran = 0, failed = 0;
    for (int n = 0; n < wanted; ++n) {
        const NodeRef tree = trees.draw(1 + static_cast<int>(random() % 3));
        INFO(toSource(*tree));
        Value region;
        RegionPrograms programs(tree);
        bool isRun = false;
        const Outcome whole = outcomeOf([&] {
            isRun = programs.run(given, context, region);
            return region;
        });
        if (!isRun && !whole.failed) continue;
        ++ran;
        const Ref<Closure> closure = compileExpression(tree, names, nullptr, wholeProcess().services());
        std::vector<Value> arguments = leaves;
        const Outcome machine = outcomeOf([&] { return callFunction(*closure, context, arguments); });
        failed += machine.failed;
        CHECK(whole.failed == machine.failed);
        if (whole.failed || machine.failed) continue;
        CHECK(sameItems(region, asColumn(machine.value, region.type())));
    }
    WARN(ran << " regions ran, " << failed << " of them failed alike");
    CHECK(ran - failed > wanted / 50);
}
