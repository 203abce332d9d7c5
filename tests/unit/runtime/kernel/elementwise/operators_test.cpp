#include <catch2/catch.hpp>
#include <random>

#include "common/error.h"
#include "runtime/kernel/block/block_program.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

// Returns values that are hard to get right: NULL, extremes, zeros, small and large numbers.
Ref<Vector> hardItems(Type type, int64_t size, std::mt19937_64& random) {
    Ref<Vector> v = Vector::make(type, size);
    for (int64_t i = 0; i < size; ++i) {
        Value element;
        switch (random() % 8) {
            case 0:
                element = Value::nullOf(type);
                break;
            case 1:
                element = cast(Value::ofInt(0), type);
                break;
            case 2:
                element = isFloating(type) ? cast(Value::ofDouble(1e308), type) : cast(Value::ofInt(-1), type);
                break;
            case 3:
                element = cast(Value::ofLong(static_cast<int64_t>(random() % 200) - 100), type);
                break;
            default:
                element = cast(Value::ofDouble(static_cast<double>(random() % 1000000) / 100 - 5000), type);
        }
        v->set(i, element);
    }
    return v;
}

const Type kNumbers[] = {Type::Bool, Type::Char, Type::Short, Type::Int, Type::Long, Type::Float, Type::Double};
const Operator kOperators[] = {Operator::Add, Operator::Sub, Operator::Mul, Operator::Div, Operator::Ratio,
                               Operator::Mod, Operator::Lt,  Operator::Le,  Operator::Eq,  Operator::Gt,
                               Operator::Ge,  Operator::Ne,  Operator::And, Operator::Or};

}  // namespace

TEST_CASE("an operator gives the same on vectors as on their items, for every pair of numeric types") {
    std::mt19937_64 random(7);
    for (Type a : kNumbers) {
        for (Type b : kNumbers) {
            Ref<Vector> x = hardItems(a, 70, random), y = hardItems(b, 70, random);
            for (Operator op : kOperators) {
                Value whole = applyBinary(op, Value::of(x), Value::of(y));
                for (int64_t i = 0; i < x->size(); ++i) {
                    Value one = applyBinary(op, x->at(i), y->at(i));
                    INFO(typeName(a) << " " << facts(op).symbol << " " << typeName(b) << ": " << display(x->at(i))
                                     << ", " << display(y->at(i)) << " -> " << display(one) << " / "
                                     << display(whole.at(i)));
                    REQUIRE(identical(whole.at(i), one));
                }
            }
        }
    }
}

TEST_CASE("integer division floors and its remainder follows the divisor") {
    for (int a = -9; a <= 9; ++a) {
        for (int b = -4; b <= 4; ++b) {
            Value q = applyBinary(Operator::Div, Value::ofInt(a), Value::ofInt(b));
            Value r = applyBinary(Operator::Mod, Value::ofInt(a), Value::ofInt(b));
            if (b == 0) {
                REQUIRE(q.isNull());
                REQUIRE(r.isNull());
                continue;
            }
            REQUIRE(q.integer() * b + r.integer() == a);
            REQUIRE((r.integer() == 0 || (r.integer() < 0) == (b < 0)));
        }
    }
}

TEST_CASE("vectors are divided by one whole number as scalars are, rounding down") {
    std::mt19937 random(7);
    std::vector<int32_t> elements{0, 1, -1, 59, 60, 61, -59, -60, -61, 2147483647, -2147483647, null<int32_t>};
    for (int i = 0; i < 200; ++i) elements.push_back(static_cast<int32_t>(random()) >> (random() % 31));
    const Value x = Value::of(Vector::of<int32_t>(Type::Int, elements));
    for (const int32_t divisor : {1, 2, 3, 7, 60, 1000, 65536, 1073741824, 1073741825, 2147483647}) {
        const Value quotients = applyBinary(Operator::Div, x, Value::ofInt(divisor));
        for (size_t i = 0; i < elements.size(); ++i) {
            INFO(elements[i] << " / " << divisor);
            CHECK(identical(quotients.at(static_cast<int64_t>(i)),
                            applyBinary(Operator::Div, Value::ofInt(elements[i]), Value::ofInt(divisor))));
        }
    }
}

TEST_CASE("a chain in one program equals its steps one by one") {
    std::mt19937_64 random(11);
    Ref<Vector> x = hardItems(Type::Double, 5000, random), y = hardItems(Type::Int, 5000, random);
    BlockProgram program;
    auto a = program.input(0, Type::Double), b = program.input(1, Type::Int);
    auto sum = program.binary(Operator::Add, a, b);
    auto quotient = program.binary(Operator::Div, program.binary(Operator::Sub, a, b), sum);
    program.setResult(program.binary(Operator::Mul, quotient, program.constant(Value::ofInt(2))));
    const Vector* inputs[] = {x.get(), y.get()};
    Value whole = Value::of(program.run(inputs, 5000));
    Value vx = Value::of(x), vy = Value::of(y);
    Value steps =
        applyBinary(Operator::Mul,
                    applyBinary(Operator::Div, applyBinary(Operator::Sub, vx, vy), applyBinary(Operator::Add, vx, vy)),
                    Value::ofInt(2));
    REQUIRE(identical(whole, steps));
}

TEST_CASE("floats round half away from zero on their way to integers") {
    REQUIRE(cast(Value::ofDouble(2.5), Type::Int).integer() == 3);
    REQUIRE(cast(Value::ofDouble(-2.5), Type::Int).integer() == -3);
    REQUIRE(cast(Value::ofDouble(0.49999999999999994), Type::Int).integer() == 0);
    REQUIRE(cast(Value::ofDouble(1e30), Type::Int).isNull());
    REQUIRE(cast(Value::ofLong(65578), Type::Short).integer() == 42);
}

TEST_CASE("times of day wrap inside one day") {
    Value almostMidnight = Value::scalar(Type::Minute, 23 * 60 + 59);
    REQUIRE(display(applyBinary(Operator::Add, almostMidnight, Value::ofInt(10))) == "00:09m");
    REQUIRE(display(applyBinary(Operator::Sub, Value::scalar(Type::Second, 1), Value::ofInt(2))) == "23:59:59");
}

TEST_CASE("vectors of different lengths are refused") {
    Value two = Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2}));
    Value three = Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2, 3}));
    REQUIRE_THROWS_AS(applyBinary(Operator::Add, two, three), UserError);
}

TEST_CASE("a slice keeps what it shows when its parent changes") {
    Ref<Vector> parent = Vector::of(Type::Int, std::vector<int32_t>{1, 2, 3, 4});
    Ref<Vector> slice = parent->slice(1, 2);
    parent->set(1, Value::ofInt(99));
    parent->append(Value::ofInt(5));
    REQUIRE(slice->data<int32_t>()[0] == 2);
    REQUIRE(parent->data<int32_t>()[1] == 99);
    REQUIRE(parent->size() == 5);
}

TEST_CASE("gathering a position outside gives NULL") {
    Ref<Vector> v = Vector::ofStrings({"a", "b"}, Type::Symbol);
    std::vector<int64_t> positions{1, -1, 7, 0};
    Ref<Vector> taken = v->gather(positions.data(), 4);
    REQUIRE(display(Value::of(taken)) == "[\"b\",,,\"a\"]");
}
