// What functions declare is what their calls do: every function, over values of all types and forms.
//
// PELORUS_DECLARATION_CALLS sets how many calls with each number of arguments from two on, drawn at random by
// PELORUS_SEED, a function gets (200); PELORUS_ARGUMENT_PAIRS=all adds all pairs of plain arguments.
// PELORUS_DECLARATION_ONLY looks at one function.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "common/error.h"
#include "runtime/array_vector.h"
#include "runtime/code/expression.h"
#include "runtime/code/to_source.h"
#include "runtime/format/print.h"
#include "runtime/kernel/aggregate.h"
#include "runtime/kernel/index.h"
#include "runtime/tensor.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;

namespace {

struct Sample {
    std::string name;
    Value value;
};

// Three items of each type that scripts can make, none of them NULL.
const std::vector<std::pair<std::string, std::string>>& itemsByType() {
    static const std::vector<std::pair<std::string, std::string>> items = {
        {"BOOL", "true false true"},
        {"CHAR", "'a' 'b' 'c'"},
        {"SHORT", "1h 2h 3h"},
        {"INT", "1 2 3"},
        {"LONG", "1l 2l 4l"},
        {"FLOAT", "1.5f 2f 3f"},
        {"DOUBLE", "1.5 2.5 3.5"},
        {"DATE", "2024.01.01..2024.01.03"},
        {"MONTH", "2024.03M + 0..2"},
        {"TIME", "09:30:00.123 + 0..2"},
        {"MINUTE", "09:30m + 0..2"},
        {"SECOND", "09:30:00 + 0..2"},
        {"DATETIME", "2024.03.15T09:30:00 + 0..2"},
        {"TIMESTAMP", "2024.03.15T09:30:00.123 + 0..2"},
        {"NANOTIME", "09:30:00.123456789 + 0..2"},
        {"NANOTIMESTAMP", "2024.03.15T09:30:00.123456789 + 0..2"},
        {"DATEHOUR", "datehour(2024.03.15T09:00:00) + 0..2"},
        {"SYMBOL", "symbol(`A`B`C)"},
        {"STRING", "`ab`cd`ef"},
        {"BLOB", "blob([\"a\", \"b\", \"cc\"])"},
        {"UUID",
         "uuid([\"5d212a78-cc48-e3b1-4235-b4d91cee3e87\", \"5d212a78-cc48-e3b1-4235-b4d91cee3e88\", "
         "\"5d212a78-cc48-e3b1-4235-b4d91cee3e89\"])"},
        {"IPADDR", "ipaddr([\"1.2.3.4\", \"::1\", \"1.2.3.5\"])"},
        {"INT128",
         "int128([\"e1671797c52e15f763380b45e841ec32\", \"e1671797c52e15f763380b45e841ec33\", "
         "\"e1671797c52e15f763380b45e841ec34\"])"},
        {"COMPLEX", "complex(1 2 3, 3 4 5)"},
        {"POINT", "point(1 2 3, 3 4 5)"},
        {"DECIMAL32", "decimal32([1.5, 2.5, 3.5], 2)"},
        {"DECIMAL64", "decimal64([1.5, 2.5, 3.5], 3)"},
        {"DECIMAL128", "decimal128([1.5, 2.5, 3.5], 4)"},
    };
    return items;
}

struct Samples {
    std::vector<Sample> all;    // every form
    std::vector<Sample> plain;  // scalars and vectors without NULL
    std::vector<Sample> functions, code;

    Samples() {
        auto& process = testing::wholeProcess();
        for (const auto& [type, items] : itemsByType()) {
            const Value three = process.run("(" + items + ")");
            plain.push_back({type + " vector", three});
            plain.push_back({type + " scalar", three.at(1)});
            Ref<Vector> withNull = three.vector().copy();
            withNull->set(1, Value());
            all.push_back({type + " with NULL", Value::of(withNull)});
            all.push_back({"empty " + type, Value::of(three.vector().slice(0, 0))});
            all.push_back({type + " NULL", withNull->at(1)});
            const Category category = categoryOf(three.type());
            const bool isCell = category == Category::Logical || category == Category::Integral ||
                                category == Category::Floating || three.type() == Type::Date;
            if (!isCell) continue;
            all.push_back({type + " matrix", process.run("matrix(" + items + ", " + items + ")")});
            all.push_back({type + " array vector", process.run("arrayVector(2 3, " + items + ")")});
        }
        all.insert(all.end(), plain.begin(), plain.end());
        for (const char* f : {"sum", "add", "cumsum"}) functions.push_back({f, process.run(f)});
        code.push_back({"<1 + 2>", process.run("<1 + 2>")});
        all.push_back({"NULL", Value()});
        all.push_back({"tuple", process.run("(1, `a, 2.5)")});
        all.push_back({"duration", process.run("15m")});
        all.push_back({"pair", process.run("1:5")});
        all.push_back({"dictionary", process.run("dict(`a`b, 1 2)")});
        all.push_back({"set", process.run("set(1 2 3)")});
        all.push_back({"table", process.run("table(1 2 as x, 1.5 2 as y)")});
        all.push_back({"function", process.run("sum")});
    }
};

const Samples& samples() {
    static const Samples made;
    return made;
}

// They end the process, wait, reach outside, or go on as long as a function says.
bool isLeftOut(const BuiltinFunction& f) {
    static const std::set<std::string_view> names = {"exit", "quit", "sleep", "shell", "reduce", "accumulate"};
    return f.declaration().effect != Effect::Pure || f.declaration().facet == Facet::Node || names.contains(f.name());
}

bool takesEverything(const BuiltinFunction& f, std::span<const Value> arguments) {
    for (size_t i = 0; i < arguments.size() && i < kDeclaredParameters; ++i) {
        if (!f.declaration().takes[i].accepts(arguments[i])) return false;
    }
    return true;
}

std::vector<TypedArgument> typed(const BuiltinFunction& f, std::span<const Value> arguments) {
    std::vector<TypedArgument> types;
    for (const Value& v : arguments) {
        const int32_t scale = isDecimal(itemTypeOf(v.type())) ? v.isScalar() ? v.extra() : v.vector().scale() : 0;
        types.push_back({v.type(), v.form(), scale, &v, !isOmitted(v)});
    }
    while (types.size() < f.signature().parameters.size()) types.push_back({.given = false});
    return types;
}

// The type of the items of a result, and the scale of decimals; known is false where it has none of its own.
ResultType typeOf(const Value& v) {
    switch (v.form()) {
        case Form::Scalar:
            return v.type() == Type::Void ? ResultType()
                                          : ResultType::of(v.type(), isDecimal(v.type()) ? v.extra() : 0);
        case Form::Vector:
        case Form::Pair:
            if (v.isTuple()) return {};
            if (v.isArrayVector()) return ResultType::of(itemTypeOf(v.type()), v.arrayVector().scale());
            return ResultType::of(v.type(), isDecimal(v.type()) ? v.vector().scale() : 0);
        case Form::Matrix:
            return v.matrix().cells->type() == Type::Any
                       ? ResultType()
                       : ResultType::of(v.matrix().cells->type(), v.matrix().cells->scale());
        default:
            return {};
    }
}

bool same(const Value& a, const Value& b) {
    return display(a) == display(b);
}

// Cells of a select list: a call outside of one gives its argument back.
bool isCell(Role role) {
    return role == Role::ArrayCells || role == Role::ColumnarTupleCells || role == Role::TupleCells;
}

// NULL beside a vector gives a vector of NULLs.
bool isAllNull(const Value& v) {
    if (!v.isVector()) return v.isNull();
    for (int64_t i = 0; i < v.size(); ++i) {
        if (!v.at(i).isNull()) return false;
    }
    return true;
}

// Calls the function, and tells in `problem` what its declaration has wrong. False when the call was refused.
bool answers(const BuiltinFunction& f, std::vector<Value> arguments, std::string& problem) {
    Request request;
    request.print = [](std::string_view) {};
    Context context(testing::wholeProcess().services(), request);
    const Declaration& d = f.declaration();
    const bool taken = takesEverything(f, arguments);
    std::vector<TypedArgument> types = typed(f, arguments);
    const std::vector<Value> kept = arguments;
    for (size_t i = 0; i < arguments.size(); ++i) types[i].constant = &kept[i];
    Value result;
    try {
        result = f.call(context, arguments);
    } catch (const Error& error) {
        if (taken && d.neverFails && dynamic_cast<const UserError*>(&error)) {
            problem = std::string("says that it never fails: ") + error.what();
        }
        return false;
    }
    if (!taken) {
        problem = "is given what it does not take, and gives " + display(result);
        return true;
    }
    if (d.gives) {
        ResultType said;
        try {
            said = d.gives(types);
        } catch (const Error& error) {
            problem = std::string("its type rule refuses, the call does not: ") + error.what() + "; " + display(result);
            return true;
        }
        const ResultType is = typeOf(result);
        if (said.isKnown && is.isKnown && !(said == is)) {
            problem = "says " + std::string(typeName(said.type)) + "(" + std::to_string(said.scale) + "), gives " +
                      std::string(typeName(is.type)) + "(" + std::to_string(is.scale) + ")";
            return true;
        }
    }
    bool anyVector = false, plain = true;
    int64_t longest = 1;
    for (const Value& v : kept) {
        const bool isVector = v.isVector() && !v.isTuple() && !v.isArrayVector();
        plain = plain && (isVector || v.isScalar()) && v.type() != Type::Function;
        const size_t i = static_cast<size_t>(&v - kept.data());
        const bool isItem = i >= kDeclaredParameters || d.takes[i].special == Takes::Item;
        if (!isVector || !isItem) continue;
        // Some are more generous with lengths than they need to be.
        if (anyVector && v.size() != longest) return true;
        longest = v.size(), anyVector = true;
    }
    if (!plain) return true;
    const bool isElementwise = d.kind == FunctionKind::Elementwise ||
                               (d.elementwiseFrom > 0 && kept.size() >= static_cast<size_t>(d.elementwiseFrom) &&
                                !kept[static_cast<size_t>(d.elementwiseFrom) - 1].isVoid());
    if (d.kind == FunctionKind::Aggregate && !isElementwise && !isCell(d.role) && !result.isScalar()) {
        problem = "is an aggregate and gives " + typeString(result);
    }
    if (isElementwise) {
        if (anyVector != result.isVector() || (anyVector && result.size() != longest)) {
            problem = "is elementwise and gives " + typeString(result);
        } else if (anyVector && longest > 0) {
            std::vector<Value> item;
            for (size_t i = 0; i < kept.size(); ++i) {
                const bool isItem = i >= kDeclaredParameters || d.takes[i].special == Takes::Item;
                item.push_back(kept[i].isScalar() || !isItem ? kept[i] : kept[i].at(longest - 1));
            }
            try {
                const Value one = f.call(context, item);
                if (!same(one, result.at(longest - 1))) {
                    problem = "is elementwise, but of the last items alone gives " + display(one);
                }
            } catch (const Error& error) {
                problem = std::string("is elementwise, but of the last items alone: ") + error.what();
            }
        }
    }
    // A tuple holds several columns.
    const Value column = result.isTuple() && result.size() > 0 ? result.at(0) : result;
    if (d.kind == FunctionKind::Aggregate && !isElementwise && !isCell(d.role) && !d.orderSensitive && longest > 1) {
        std::vector<Value> turned = kept;
        for (size_t i = 0; i < kept.size(); ++i) {
            if (!kept[i].isVector() || (i < kDeclaredParameters && d.takes[i].special != Takes::Item)) continue;
            const int64_t size = kept[i].size();
            std::vector<int32_t> positions;
            for (int64_t k = size; k-- > 0;) positions.push_back(static_cast<int32_t>(k));
            turned[i] = takeRows(kept[i], *Vector::of(Type::Int, positions));
        }
        try {
            const Value again = f.call(context, turned);
            if (!same(again, result))
                problem = "does not say that it depends on order, but turned around gives " + display(again);
        } catch (const Error& error) {
            problem = std::string("does not say that it depends on order, but turned around: ") + error.what();
        }
    }
    if (d.kind == FunctionKind::Window && (!column.isVector() || column.size() != kept[0].size()) &&
        kept[0].isVector()) {
        problem = "is a window and gives " + typeString(result);
    }
    if (d.nulls == NullRule::Propagate && kept[0].isScalar() && kept[0].isNull() && !isAllNull(result)) {
        problem = "says that NULL gives NULL, and gives " + display(result);
    }
    if (d.effect == Effect::Pure && problem.empty()) {
        std::vector<Value> again = kept;
        const Value second = f.call(context, again);
        if (!same(result, second)) problem = "is pure, and gives another value the second time";
    }
    return true;
}

// The arguments of the examples in the documentation that are calls of the function, by this name or another.
std::vector<std::vector<Value>> examplesOf(const BuiltinFunction& f) {
    std::vector<std::vector<Value>> examples;
    std::istringstream lines{std::string(std::string_view(f.doc().example))};
    for (std::string line; std::getline(lines, line);) {
        const std::string expression = line.substr(0, line.find(" -> "));
        const BuiltinFunction* named = FunctionRegistry::instance().find(expression.substr(0, expression.find('(')));
        if (!named || std::string_view(named->doc().example) != std::string_view(f.doc().example)) continue;
        try {
            const Value code = testing::wholeProcess().run("<" + expression + ">");
            const NodeRef node = code.as<Code>()->node;
            if (node->kind != NodeKind::Call) continue;
            std::vector<Value> arguments;
            for (const auto& argument : static_cast<const Call&>(*node).arguments) {
                if (!argument.keyword.empty()) {
                    const auto& parameters = f.signature().parameters;
                    while (arguments.size() < parameters.size() &&
                           parameters[arguments.size()].name != argument.keyword) {
                        arguments.push_back(omitted());
                    }
                }
                arguments.push_back(argument.value->kind == NodeKind::Omitted
                                        ? omitted()
                                        : testing::wholeProcess().run(toSource(*argument.value)));
            }
            examples.push_back(std::move(arguments));
        } catch (const Error&) {
            // It is more than a call.
        }
    }
    return examples;
}

// The value as vector or as scalar, empty or NULL.
Value anotherForm(const Value& v, int choice) {
    if (storageOf(v.type()) == Storage::Boxed || v.isVoid() || isOmitted(v)) return v;
    if (v.isScalar()) {
        Ref<Vector> three = Vector::filled(v.type(), 3, v);
        if (choice == 1) three->set(1, Value());
        if (choice == 2) return Value::of(three->slice(0, 0));
        if (choice == 3) three = Vector::filled(v.type(), 3, Value::nullOf(v.type()));
        return choice == 3 ? three->at(0) : Value::of(three);
    }
    if (!v.isTypedVector() || v.size() == 0) return v;
    if (choice == 0) return v.at(0);
    if (choice == 1) return Value::of(v.vector().slice(0, 0));
    Ref<Vector> withNull = v.vector().copy();
    withNull->set(0, Value());
    return choice == 2 ? Value::of(withNull) : withNull->at(0);
}

std::vector<const BuiltinFunction*> functions() {
    testing::wholeProcess();
    std::vector<const BuiltinFunction*> all;
    for (std::string_view name : FunctionRegistry::instance().names()) {
        all.push_back(&FunctionRegistry::instance().get(name));
    }
    return all;
}

}  // namespace

TEST_CASE("every function is declared, or stands in the list, which only shrinks") {
    std::set<std::string> listed;
    std::ifstream file(PELORUS_UNDECLARED_FUNCTIONS);
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line[0] != '#') listed.insert(line);
    }
    std::string missing, done;
    for (const BuiltinFunction* f : functions()) {
        const std::string name(f->name());
        if (!isComplete(f->declaration()) && !listed.contains(name)) missing += name + "\n";
        if (isComplete(f->declaration()) && listed.contains(name)) done += name + "\n";
        listed.erase(name);
    }
    INFO("not declared:\n" << missing << "declared, take them off the list:\n" << done);
    CHECK(missing.empty());
    CHECK(done.empty());
    CHECK(listed.empty());
}

TEST_CASE("calls give what functions declare", "[declarations]") {
    const char* many = std::getenv("PELORUS_DECLARATION_CALLS");
    const char* only = std::getenv("PELORUS_DECLARATION_ONLY");
    const char* seed = std::getenv("PELORUS_SEED");
    const char* pairs = std::getenv("PELORUS_ARGUMENT_PAIRS");
    const int drawn = many ? std::atoi(many) : 200;
    const bool allPairs = pairs && std::string_view(pairs) == "all";
    int64_t calls = 0, answered = 0;
    int met = 0;
    std::string never;
    std::vector<std::pair<double, std::string_view>> slow;
    for (const BuiltinFunction* f : functions()) {
        if (isLeftOut(*f) || !isComplete(f->declaration())) continue;
        if (only && f->name() != only) continue;
        const int least = f->signature().minArguments();
        const int most = std::min(f->signature().maxArguments(), 6);
        std::mt19937 random(static_cast<unsigned>(std::hash<std::string_view>()(f->name())) +
                            (seed ? static_cast<unsigned>(std::atoi(seed)) : 0));
        std::vector<std::string> problems;
        int64_t here = 0;
        const auto begin = std::chrono::steady_clock::now();
        const auto call = [&](std::vector<const Sample*> chosen) {
            std::vector<Value> arguments;
            std::string said;
            for (const Sample* s : chosen) {
                // Vectors are counted by reference: a function that changes one in place would change the sample.
                arguments.push_back(s->value);
                said += (said.empty() ? "" : ", ") + s->name;
            }
            std::string problem;
            ++calls;
            here += answers(*f, arguments, problem);
            if (!problem.empty()) problems.push_back(std::string(f->name()) + "(" + said + ") " + problem);
        };
        const auto& all = samples().all;
        const auto& plain = samples().plain;
        // What the parameter takes, more often than not: most calls that are all chance would be refused.
        const auto draw = [&](size_t parameter) {
            const Takes takes = parameter < kDeclaredParameters ? f->declaration().takes[parameter] : Takes();
            const auto& special = takes.special == Takes::Function ? samples().functions
                                  : takes.special == Takes::Code   ? samples().code
                                                                   : plain;
            const Sample* chosen = nullptr;
            for (int attempt = 0; attempt < 4; ++attempt) {
                const bool stray = random() % 4 == 0;
                const auto& from = stray && &special == &plain ? all : special;
                chosen = &from[random() % from.size()];
                if (takes.accepts(chosen->value)) break;
            }
            return chosen;
        };
        // The arguments of the examples, and others of their kind: what a function of dates, names or shares wants.
        std::deque<Sample> made;
        for (const std::vector<Value>& example : examplesOf(*f)) {
            for (int i = 0; i < 1 + drawn / 4; ++i) {
                std::vector<const Sample*> chosen;
                for (const Value& v : example) {
                    made.push_back({display(v), v});
                    chosen.push_back(&made.back());
                }
                if (i > 0 && !example.empty()) {
                    const size_t changed = random() % example.size();
                    const Value other = anotherForm(example[changed], static_cast<int>(random() % 4));
                    made.push_back({display(other), other});
                    chosen[changed] = &made.back();
                }
                call(chosen);
            }
        }
        if (least == 0) call({});
        if (least <= 1 && most >= 1) {
            for (const Sample& s : all) call({&s});
        }
        if (allPairs && least <= 2 && most >= 2) {
            for (const Sample& a : plain) {
                for (const Sample& b : plain) call({&a, &b});
            }
        }
        for (int count = std::max(least, 2); count <= most; ++count) {
            for (int i = 0; i < drawn; ++i) {
                std::vector<const Sample*> chosen;
                // Items of one type are what most functions want.
                const Sample* first = draw(0);
                for (int k = 0; k < count; ++k) {
                    chosen.push_back(k == 0 || (i % 3 == 0 && f->declaration().takes[0].special == Takes::Item &&
                                                k < kDeclaredParameters &&
                                                f->declaration().takes[static_cast<size_t>(k)].special == Takes::Item)
                                         ? first
                                         : draw(static_cast<size_t>(k)));
                }
                call(chosen);
            }
        }
        answered += here;
        ++met;
        if (here == 0) never += " " + std::string(f->name());
        slow.push_back({std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), f->name()});
        for (size_t i = 0; i < problems.size() && i < 4; ++i) FAIL_CHECK(problems[i]);
    }
    std::sort(slow.rbegin(), slow.rend());
    std::printf("%d functions, %lld calls, %lld answered; none answered by%s\nmost time (s):", met,
                static_cast<long long>(calls), static_cast<long long>(answered), never.c_str());
    for (size_t i = 0; i < slow.size() && i < 8; ++i) {
        std::printf(" %s %.2f", std::string(slow[i].second).c_str(), slow[i].first);
    }
    std::printf("\n");
    const auto unmet = std::count(never.begin(), never.end(), ' ');
    CHECK((only || (met > 750 && unmet < 30)));
}

TEST_CASE("states of aggregates that are merged give what one state gives", "[declarations]") {
    int met = 0;
    for (const BuiltinFunction* f : functions()) {
        const Declaration& d = f->declaration();
        if (!d.state) continue;
        for (const auto& [type, items] : itemsByType()) {
            const Value x = testing::wholeProcess().run("take(" + items + ", 40)");
            const size_t count = static_cast<size_t>(std::max(1, f->signature().minArguments()));
            const std::vector<Value> arguments(count, x);
            if (!takesEverything(*f, arguments)) continue;
            const std::vector<Type> types(count, x.type());
            INFO(f->name() << " of " << type);
            try {
                auto whole = d.state(types), left = d.state(types), right = d.state(types);
                if (!whole) continue;
                const std::vector<Value> first(count, Value::of(x.vector().slice(0, 13)));
                const std::vector<Value> second(count, Value::of(x.vector().slice(13, 27)));
                whole->resize(1), left->resize(1), right->resize(1);
                whole->add(arguments, nullptr, 40);
                left->add(first, nullptr, 13);
                right->add(second, nullptr, 27);
                left->merge(*right, nullptr, 1);
                CHECK(display(left->results()) == display(whole->results()));
                if (!d.orderSensitive) {
                    auto turned = d.state(types);
                    turned->resize(1);
                    turned->add(second, nullptr, 27);
                    turned->add(first, nullptr, 13);
                    CHECK(display(turned->results()) == display(whole->results()));
                }
                ++met;
            } catch (const UserError&) {
                // Values of this type have no such aggregate.
            }
        }
    }
    CHECK(met > 100);
}
