// Values to call functions with: three elements of each type that scripts can make in every form, the values in the
// examples of a function, and calls drawn from both.
#pragma once

#include <cstdlib>
#include <deque>
#include <random>
#include <set>
#include <sstream>

#include "common/error.h"
#include "runtime/code/expression.h"
#include "runtime/format/to_source.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus::testing {

struct Sample {
    std::string name;
    Value value;
};

// Three elements of each type that scripts can make, none of them NULL.
inline const std::vector<std::pair<std::string, std::string>>& itemsByType() {
    static const std::vector<std::pair<std::string, std::string>> elements = {
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
    return elements;
}

// They end the process, wait, reach outside, or go on as long as a function says.
inline bool isLeftOut(const BuiltinFunction& f) {
    static const std::set<std::string_view> names = {"exit", "quit", "sleep", "shell", "reduce", "accumulate"};
    return f.declaration().effect != Effect::Pure || f.declaration().facet == Facet::Node || names.contains(f.name());
}

struct Samples {
    std::vector<Sample> all;    // every form
    std::vector<Sample> plain;  // scalars and vectors without NULL
    std::vector<Sample> functions, code;

    Samples() {
        auto& process = wholeProcess();
        for (const auto& [type, elements] : itemsByType()) {
            const Value three = process.run("(" + elements + ")");
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
            all.push_back({type + " matrix", process.run("matrix(" + elements + ", " + elements + ")")});
            all.push_back({type + " array vector", process.run("arrayVector(2 3, " + elements + ")")});
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

inline const Samples& samples() {
    static const Samples made;
    return made;
}

// The arguments of the examples in the documentation that are calls of the function, by this name or another.
inline std::vector<std::vector<Value>> examplesOf(const BuiltinFunction& f) {
    std::vector<std::vector<Value>> examples;
    std::istringstream lines{std::string(std::string_view(f.doc().example))};
    for (std::string line; std::getline(lines, line);) {
        const std::string expression = line.substr(0, line.find(" -> "));
        const BuiltinFunction* named = FunctionRegistry::instance().find(expression.substr(0, expression.find('(')));
        if (!named || std::string_view(named->doc().example) != std::string_view(f.doc().example)) continue;
        try {
            const Value code = wholeProcess().run("<" + expression + ">");
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
                                        : wholeProcess().run(toSource(*argument.value)));
            }
            examples.push_back(std::move(arguments));
        } catch (const Error&) {
            // It is more than a call.
        }
    }
    return examples;
}

// The value as vector or as scalar, empty or NULL.
inline Value anotherForm(const Value& v, int choice) {
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

// How many calls are drawn, and by which seed.
struct Drawing {
    int calls = 200;
    unsigned seed = 0;
    bool allPairs = false;

    static Drawing fromEnvironment() {
        const char* calls = std::getenv("PELORUS_DECLARATION_CALLS");
        const char* seed = std::getenv("PELORUS_SEED");
        const char* pairs = std::getenv("PELORUS_ARGUMENT_PAIRS");
        Drawing drawing;
        if (calls) drawing.calls = std::atoi(calls);
        if (seed) drawing.seed = static_cast<unsigned>(std::atoi(seed));
        drawing.allPairs = pairs && std::string_view(pairs) == "all";
        return drawing;
    }
};

// The calls of one function: its examples and their like, each value alone, and so many drawn with each number of
// arguments from two on.
class DrawnCalls {
public:
    using Call = std::vector<Sample>;

    DrawnCalls(const BuiltinFunction& function, const Drawing& drawing)
        : function_(function),
          drawing_(drawing),
          random_(static_cast<unsigned>(std::hash<std::string_view>()(function.name())) + drawing.seed) {}

    template <class Make>
    void forEach(const Make& call) {
        examples(call);
        const int least = function_.signature().minArguments();
        const int most = std::min(function_.signature().maxArguments(), 6);
        if (least == 0) call(Call());
        if (least <= 1 && most >= 1) {
            for (const Sample& s : samples().all) call(Call{s});
        }
        if (drawing_.allPairs && least <= 2 && most >= 2) {
            for (const Sample& a : samples().plain) {
                for (const Sample& b : samples().plain) call(Call{a, b});
            }
        }
        for (int count = std::max(least, 2); count <= most; ++count) {
            for (int i = 0; i < drawing_.calls; ++i) call(drawn(count, i % 3 == 0));
        }
    }

private:
    // Arguments from examples, for functions that want dates, names or shares, and other special values.
    template <class Make>
    void examples(const Make& call) {
        for (const std::vector<Value>& example : examplesOf(function_)) {
            for (int i = 0; i < 1 + drawing_.calls / 4; ++i) {
                Call chosen;
                for (const Value& v : example) chosen.push_back({display(v), v});
                if (i > 0 && !example.empty()) {
                    const size_t changed = random_() % example.size();
                    const Value other = anotherForm(example[changed], static_cast<int>(random_() % 4));
                    chosen[changed] = {display(other), other};
                }
                call(chosen);
            }
        }
    }

    Takes takes(size_t parameter) const {
        return parameter < kDeclaredParameters ? function_.declaration().takes[parameter] : Takes();
    }

    // Most functions want values of one type.
    Call drawn(int count, bool alike) {
        Call chosen{draw(0)};
        for (size_t k = 1; k < static_cast<size_t>(count); ++k) {
            const bool repeats = alike && takes(0).special == Takes::Item && takes(k).special == Takes::Item;
            chosen.push_back(repeats ? chosen[0] : draw(k));
        }
        return chosen;
    }

    // Draws mostly values that suit the parameter: most calls with purely random values would be refused.
    const Sample& draw(size_t parameter) {
        const Takes wanted = takes(parameter);
        const auto& special = wanted.special == Takes::Function ? samples().functions
                              : wanted.special == Takes::Code   ? samples().code
                                                                : samples().plain;
        const Sample* chosen = nullptr;
        for (int attempt = 0; attempt < 4; ++attempt) {
            const bool isStray = random_() % 4 == 0 && &special == &samples().plain;
            const auto& from = isStray ? samples().all : special;
            chosen = &from[random_() % from.size()];
            if (wanted.accepts(chosen->value)) break;
        }
        return *chosen;
    }

    const BuiltinFunction& function_;
    const Drawing& drawing_;
    std::mt19937 random_;
};

}  // namespace pelorus::testing
