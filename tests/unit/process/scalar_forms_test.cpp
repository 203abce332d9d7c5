// A built-in's form for scalars, and the machine code that is made of it, return the same bits as its kernel does for
// vectors: every function that has one, over numbers of all types, drawn at random by PELORUS_SEED and from the edges.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cfloat>
#include <cstdlib>
#include <random>

#include "common/error.h"
#include "interpreter/bytecode/hot_code.h"
#include "interpreter/codegen/code_generator.h"
#include "runtime/function/principal.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

constexpr int64_t kItems = 48;
constexpr size_t kMaxCombinations = 12;  // of types, of one function
constexpr Type kTypes[] = {Type::Bool, Type::Char, Type::Short, Type::Int, Type::Long, Type::Float, Type::Double};

class Numbers {
public:
    Numbers() {
        const char* seed = std::getenv("PELORUS_SEED");
        seed_ = seed ? std::strtoull(seed, nullptr, 10) : std::random_device()();
        random_.seed(seed_);
    }
    uint64_t seed() const { return seed_; }
    std::mt19937_64& random() { return random_; }

    // Whether numbers stay small: series of distributions go on for minutes at 1e300.
    void moderate(bool small) { small_ = small; }

    Value scalar(Type type) {
        if (chance(0.1)) return Value::nullOf(type);
        if (type == Type::Bool) return Value::ofBool(chance(0.5));
        if (type == Type::Float) return Value::ofFloat(static_cast<float>(real()));
        if (type == Type::Double) return Value::ofDouble(real());
        const int width = widthOf(type) * 8;
        static constexpr int64_t kEdges[] = {0, 1, -1, 2, 3, 10, -7, 15, 100, 46341};
        int64_t x = kEdges[random_() % std::size(kEdges)];
        if (small_) x %= 101;
        if (!small_ && chance(0.2)) x = static_cast<int64_t>(random_());
        if (!small_ && chance(0.1)) x = std::numeric_limits<int64_t>::max() >> (64 - width);
        x = static_cast<int64_t>(static_cast<uint64_t>(x) << (64 - width)) >> (64 - width);
        return Value::scalar(type, x);
    }
    Value vector(Type type) {
        Ref<Vector> elements = Vector::make(type, kItems);
        for (int64_t i = 0; i < kItems; ++i) elements->set(i, scalar(type));
        return Value::of(elements);
    }

private:
    bool chance(double p) { return static_cast<double>(random_() % 1000) < p * 1000; }
    double real() {
        static constexpr double kEdges[] = {
            0.0,   -0.0,  0.5,    -0.5,    1.0,     -1.0, 2.5, -2.5, 0.49999999999999994, 2.675,
            10.0,  1e300, -1e300, DBL_MIN, -1e-300, 1e15, 3e9, 9e18, 4503599627370497.5,  1e38,
            0.999, 1e5};
        if (small_) {
            return chance(0.5) ? std::uniform_real_distribution<double>(0, 1)(random_)
                               : static_cast<double>(random_() % 25) / 2 - 1;
        }
        if (chance(0.4)) return kEdges[random_() % std::size(kEdges)];
        if (chance(0.3)) return std::uniform_real_distribution<double>(0, 1)(random_);
        return std::normal_distribution<double>(0, chance(0.5) ? 2 : 1000)(random_);
    }

    uint64_t seed_ = 0;
    bool small_ = false;
    std::mt19937_64 random_;
};

// All combinations of types for so many arguments.
template <class Use>
void forTypes(std::vector<Type>& chosen, size_t count, const Use& use) {
    if (chosen.size() == count) return use();
    for (const Type type : kTypes) {
        chosen.push_back(type);
        forTypes(chosen, count, use);
        chosen.pop_back();
    }
}

const ScalarForm* formFor(const BuiltinFunction& f, std::span<const Type> types) {
    std::vector<TypedArgument> typed;
    for (const Type type : types) typed.push_back({.type = type});
    return f.scalarForm(typed);
}

// One draw of arguments: vectors where the function is elementwise, scalars elsewhere.
struct Draw {
    std::vector<Value> arguments;

    Draw(const BuiltinFunction& f, std::span<const Type> types, Numbers& numbers) {
        const Declaration& d = f.declaration();
        numbers.moderate(d.kind != FunctionKind::Elementwise);
        for (size_t i = 0; i < types.size(); ++i) {
            const bool byItem =
                d.kind == FunctionKind::Elementwise ? d.takes[i].special == Takes::Item : i + 1 == types.size();
            arguments.push_back(byItem ? numbers.vector(types[i]) : numbers.scalar(types[i]));
        }
    }
    std::vector<Value> at(int64_t i) const {
        std::vector<Value> elements;
        for (const Value& v : arguments) elements.push_back(v.isScalar() ? v : v.at(i));
        return elements;
    }
    // Returns the kernel's result; VOID where it throws.
    Value byKernel(const BuiltinFunction& f, Context& context) const {
        std::vector<Value> call = arguments;
        try {
            return f.call(context, call);
        } catch (const std::exception&) {
            return Value();
        }
    }
};

std::string shown(std::span<const Value> values) {
    std::string string;
    for (const Value& v : values) string += display(v) + "; ";
    return string;
}

bool sameBits(const Value& a, const Value& b) {
    return a.tagWord() == b.tagWord() && a.integer() == b.integer();
}

// Runs the check for every function with a form and combinations of types that it suits.
template <class Check>
int forForms(Numbers& numbers, const Check& check) {
    wholeProcess();
    int met = 0;
    for (const std::string_view name : FunctionRegistry::instance().names()) {
        const BuiltinFunction& f = FunctionRegistry::instance().get(name);
        std::vector<size_t> counts;
        for (const ScalarForm& form : f.declaration().scalar) {
            if (std::find(counts.begin(), counts.end(), form.count) == counts.end()) counts.push_back(form.count);
        }
        bool metHere = counts.empty();
        for (const size_t count : counts) {
            std::vector<std::vector<Type>> suited;
            std::vector<Type> types;
            forTypes(types, count, [&] {
                if (formFor(f, types)) suited.push_back(types);
            });
            std::shuffle(suited.begin(), suited.end(), numbers.random());
            if (suited.size() > kMaxCombinations) suited.resize(kMaxCombinations);
            for (const std::vector<Type>& chosen : suited) check(f, chosen, *formFor(f, chosen));
            met += static_cast<int>(suited.size());
            metHere |= !suited.empty();
        }
        INFO(name << " has forms that suit no arguments");
        CHECK(metHere);
    }
    return met;
}

}  // namespace

TEST_CASE("forms for scalars give the bits that kernels give for vectors", "[scalar]") {
    Numbers numbers;
    INFO("PELORUS_SEED=" << numbers.seed());
    Request request{Principal::owner()};
    Context context(wholeProcess().services(), request);
    int64_t compared = 0, declinedToo = 0;
    int problems = 0;
    const int met =
        forForms(numbers, [&](const BuiltinFunction& f, std::span<const Type> types, const ScalarForm& form) {
            CHECK(f.declaration().effect == Effect::Pure);
            for (int repetition = 0; repetition < 4; ++repetition) {
                const Draw draw(f, types, numbers);
                const Value whole = draw.byKernel(f, context);
                bool anyDeclined = false;
                for (int64_t i = 0; i < kItems; ++i) {
                    const std::vector<Value> elements = draw.at(i);
                    Value one;
                    if (!form.apply(elements.data(), one)) {
                        anyDeclined = true;
                        std::vector<Value> call = elements;
                        CHECK_THROWS(f.call(context, call));
                        continue;
                    }
                    if (whole.isVoid()) continue;
                    ++compared;
                    if (!sameBits(one, whole.at(i)) && ++problems < 20) {
                        FAIL_CHECK(f.name() << "(" << shown(elements) << ") gives " << display(one) << ", in a vector "
                                            << display(whole.at(i)));
                    }
                }
                declinedToo += whole.isVoid();
                // A kernel that throws does so for some element.
                if (whole.isVoid() != anyDeclined && ++problems < 20) {
                    FAIL_CHECK(f.name() << "(" << shown(draw.arguments) << ") declines " << anyDeclined);
                }
            }
        });
    std::printf("%d functions and types, %lld items compared, %lld vectors refused\n", met,
                static_cast<long long>(compared), static_cast<long long>(declinedToo));
    CHECK(met > 300);
    CHECK(compared > 50'000);
    CHECK(declinedToo > 0);
}

TEST_CASE("machine code of every form gives the bits that kernels give for vectors", "[scalar]") {
    if (!generatorFunction("pelorusCompileCall")) {
        WARN("there is no code generator in this build");
        return;
    }
    Numbers numbers;
    INFO("PELORUS_SEED=" << numbers.seed());
    Request request{Principal::owner()};
    Context context(wholeProcess().services(), request);
    const JitMode before = jitMode();
    setJitMode(JitMode::Always);
    const int64_t codesBefore = compiledScalarCount();
    int64_t compared = 0;
    int codes = 0, problems = 0;
    forForms(numbers, [&](const BuiltinFunction& f, std::span<const Type> types, const ScalarForm&) {
        const std::string names = types.size() == 1 ? "x" : types.size() == 2 ? "x, y" : "x, y, z";
        const std::string name(f.name());
        const Value function = wholeProcess().run("def (" + names + ") { return ::" + name + "(" + names + ") }");
        REQUIRE(function.isFunction());
        for (int repetition = 0; repetition < 3; ++repetition) {
            const Draw draw(f, types, numbers);
            const Value whole = draw.byKernel(f, context);
            if (whole.isVoid()) continue;
            Value all;
            const bool ran = function.function().callOnElements(context, draw.arguments, kItems, all);
            if (!ran && ++problems < 20) {
                FAIL_CHECK(name << "(" << shown(draw.arguments) << ") did not run as machine code");
            }
            if (!ran) continue;
            ++codes;
            for (int64_t i = 0; i < kItems; ++i) {
                ++compared;
                if (!sameBits(all.at(i), whole.at(i)) && ++problems < 20) {
                    FAIL_CHECK(name << "(" << shown(draw.at(i)) << ") gives " << display(all.at(i))
                                    << " as machine code, " << display(whole.at(i)) << " in a vector");
                }
            }
        }
    });
    setJitMode(before);
    std::printf("%lld functions compiled, %lld items compared\n",
                static_cast<long long>(compiledScalarCount() - codesBefore), static_cast<long long>(compared));
    CHECK(codes > 300);
    CHECK(compiledScalarCount() - codesBefore > 200);
    CHECK(compared > 20'000);
}
