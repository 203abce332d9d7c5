#include "runtime/serialize/value_codec.h"
#include "runtime/function/principal.h"
#include "runtime/value/array_vector.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "common/error.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/gathered_bytes.h"
#include "runtime/value/symbol_base.h"
#include "runtime/value/tensor.h"
#include "tests/support/hex.h"

using namespace pelorus;
using testing::fromHex;
using testing::toHex;

namespace {

std::string encoded(const Value& value) {
    std::string bytes;
    encodeValue(value, Peer::Client, bytes);
    return toHex(bytes);
}

Value decoded(std::string_view hex) {
    const std::string bytes = fromHex(hex);
    StringSource source(bytes);
    Value value = decodeValue(source, Peer::Client);
    CHECK(source.atEnd());
    return value;
}

template <class T>
Value vector(Type type, const std::vector<T>& elements) {
    return Value::of(Vector::of(type, elements));
}

Value strings(const std::vector<std::string>& elements, Type type = Type::String) {
    return Value::of(Vector::ofStrings(elements, type));
}

Value tuple(std::vector<Value> elements) {
    return Value::of(makeRef<Tuple>(std::move(elements)));
}

Value decimal(Type type, int64_t scaled, uint8_t scale) {
    Value v = Value::scalar(type, scaled);
    v.setExtra(scale);
    return v;
}

void checkBothWays(const Value& value, std::string_view hex) {
    CHECK(encoded(value) == hex);
    CHECK(identical(decoded(hex), value));
}

}  // namespace

TEST_CASE("scalars have the bytes that clients expect") {
    checkBothWays(Value::ofBool(true), "01 00 01");
    checkBothWays(Value::nullOf(Type::Bool), "01 00 80");
    checkBothWays(Value::ofChar(97), "02 00 61");
    checkBothWays(Value::ofShort(7), "03 00 07 00");
    checkBothWays(Value::ofInt(42), "04 00 2a 00 00 00");
    checkBothWays(Value::nullOf(Type::Int), "04 00 00 00 00 80");
    checkBothWays(Value::ofLong(int64_t{1} << 40), "05 00 00 00 00 00 00 01 00 00");
    checkBothWays(Value::scalar(Type::Date, 19887), "06 00 af 4d 00 00");
    checkBothWays(Value::scalar(Type::Month, 24293), "07 00 e5 5e 00 00");
    checkBothWays(Value::scalar(Type::Time, 48610008), "08 00 d8 ba e5 02");
    checkBothWays(Value::scalar(Type::Minute, 810), "09 00 2a 03 00 00");
    checkBothWays(Value::scalar(Type::Second, 48610), "0a 00 e2 bd 00 00");
    checkBothWays(Value::scalar(Type::DateTime, 1718285410), "0b 00 62 f4 6a 66");
    checkBothWays(Value::scalar(Type::Timestamp, 1718285410008), "0c 00 d8 9e ca 11 90 01 00 00");
    checkBothWays(Value::scalar(Type::NanoTimestamp, 1718285410008007006), "0e 00 5e 81 43 fe 79 93 d8 17");
    checkBothWays(Value::ofFloat(1.5f), "0f 00 00 00 c0 3f");
    checkBothWays(Value::nullOf(Type::Float), "0f 00 ff ff 7f ff");
    checkBothWays(Value::ofDouble(2.5), "10 00 00 00 00 00 00 00 04 40");
    checkBothWays(Value::nullOf(Type::Double), "10 00 ff ff ff ff ff ff ef ff");
    checkBothWays(Value::ofString("hello"), "12 00 68 65 6c 6c 6f 00");
    checkBothWays(Value::scalar(Type::DateHour, 477301), "1c 00 75 48 07 00");
    checkBothWays(Value::scalar(Type::DateMinute, 28638090), "1d 00 8a fb b4 01");
    checkBothWays(Value::ofString(std::string_view("abc\0d", 5), Type::Blob), "20 00 05 00 00 00 61 62 63 00 64");
    checkBothWays(Value::ofDuration(3, static_cast<int32_t>(DurationUnit::Day)), "24 00 03 00 00 00 06 00 00 00");
    checkBothWays(decimal(Type::Decimal32, 314, 2), "25 00 02 00 00 00 3a 01 00 00");
    checkBothWays(decimal(Type::Decimal32, -5, 2), "25 00 02 00 00 00 fb ff ff ff");
    checkBothWays(decimal(Type::Decimal64, 314159, 5), "26 00 05 00 00 00 2f cb 04 00 00 00 00 00");
}

TEST_CASE("scalars of 16 bytes keep their bytes") {
    for (const char* hex : {"13 00 87 3e ee 1c d9 b4 35 42 b1 e3 48 cc 78 2a 21 5d",
                            "1e 00 01 01 a8 c0 00 00 00 00 00 00 00 00 00 00 00 00",
                            "1f 00 0f 0e 0d 0c 0b 0a 09 08 07 06 05 04 03 02 01 00",
                            "22 00 00 00 00 00 00 00 f0 3f 00 00 00 00 00 00 00 40",
                            "27 00 05 00 00 00 2f cb 04 00 00 00 00 00 00 00 00 00 00 00 00 00"}) {
        CHECK(encoded(decoded(hex)) == hex);
    }
}

TEST_CASE("VOID tells nothing from a left-out argument") {
    CHECK(encoded(Value()) == "00 00 00");
    CHECK(encoded(omitted()) == "00 00 02");
    CHECK(isOmitted(decoded("00 00 02")));
    CHECK(decoded("00 00 01").isVoid());
    CHECK_FALSE(isOmitted(decoded("00 00 01")));
    CHECK(decoded("00 01 03 00 00 00 01 00 00 00").size() == 3);
}

TEST_CASE("vectors, pairs and tuples have the bytes that clients expect") {
    checkBothWays(vector<int32_t>(Type::Int, {1, 2, 3, null<int32_t>}),
                  "04 01 04 00 00 00 01 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 00 00 00 80");
    checkBothWays(strings({"a", "b", ""}), "12 01 03 00 00 00 01 00 00 00 61 00 62 00 00");
    checkBothWays(Value::of(Vector::of<int32_t>(Type::Int, {1, 5}), Form::Pair),
                  "04 02 02 00 00 00 01 00 00 00 01 00 00 00 05 00 00 00");
    checkBothWays(
        tuple({Value::ofInt(1), Value::ofString("x"), vector<int32_t>(Type::Int, {1, 2})}),
        "19 01 03 00 00 00 01 00 00 00 04 00 01 00 00 00 12 00 78 00 04 01 02 00 00 00 01 00 00 00 01 00 00 00 "
        "02 00 00 00");
    Ref<Vector> decimals = Vector::of<int64_t>(Type::Decimal64, {1, 314});
    decimals->setScale(2);
    checkBothWays(Value::of(decimals),
                  "26 01 02 00 00 00 01 00 00 00 02 00 00 00 01 00 00 00 00 00 00 00 3a 01 00 00 00 00 00 00");
}

TEST_CASE("a SYMBOL vector carries the texts it uses once") {
    checkBothWays(strings({"a", "a", "a", "", "a"}, Type::Symbol),
                  "91 01 05 00 00 00 01 00 00 00 00 00 00 00 02 00 00 00 00 61 00 "
                  "01 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00");
    // The base has the empty string. With at most two rows per string of the base, the strings are sent without one.
    checkBothWays(strings({"a", "b", "a", ""}, Type::Symbol), "11 01 04 00 00 00 01 00 00 00 61 00 62 00 61 00 00");
    checkBothWays(strings({"", "", ""}, Type::Symbol),
                  "91 01 03 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00 00 "
                  "00 00 00 00 00 00 00 00 00 00 00 00");
    CHECK(encoded(strings({}, Type::Symbol)) == "11 01 00 00 00 00 01 00 00 00");
    CHECK(identical(decoded("11 01 02 00 00 00 01 00 00 00 61 61 00 62 62 00"), strings({"aa", "bb"}, Type::Symbol)));
}

TEST_CASE("two columns of a table may share one symbol base") {
    const Value t = decoded(
        "00 06 02 00 00 00 02 00 00 00 00 73 31 00 73 32 00 "
        "91 01 02 00 00 00 01 00 00 00 00 00 00 00 03 00 00 00 00 41 00 42 00 01 00 00 00 02 00 00 00 "
        "91 01 02 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 02 00 00 00");
    auto& table = static_cast<MemoryTable&>(t.table());
    CHECK(identical(table.column(1), strings({"B", "B"}, Type::Symbol)));
    CHECK_THROWS_AS(decoded("91 01 02 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 02 00 00 00"),
                    UserError);
}

static Value arrayVector(std::initializer_list<Value> rows, Type elements, uint8_t scale = 0) {
    auto result = makeRef<ArrayVector>(elements, scale);
    for (const Value& row : rows) result->appendRow(row.vector());
    return Value::of(result);
}

TEST_CASE("array vectors have the bytes that clients expect") {
    checkBothWays(arrayVector({vector<int32_t>(Type::Int, {1, 2}), vector<int32_t>(Type::Int, {3})}, Type::Int),
                  "44 01 02 00 00 00 03 00 00 00 02 00 01 00 02 01 01 00 00 00 02 00 00 00 03 00 00 00");
    // An empty row holds one NULL.
    const Value v = decoded("44 01 03 00 00 00 03 00 00 00 03 00 01 00 02 01 00 01 00 00 00 02 00 00 00 03 00 00 00");
    CHECK(v.size() == 3);
    CHECK(identical(v.at(2), vector<int32_t>(Type::Int, {null<int32_t>})));
    const Value decimals =
        decoded("65 01 02 00 00 00 03 00 00 00 02 00 00 00 02 00 01 00 02 01 64 00 00 00 c8 00 00 00 2c 01 00 00");
    CHECK(decimals.size() == 2);
    CHECK(decimals.at(1).vector().scale() == 2);
    checkBothWays(Value::of(makeRef<ArrayVector>(Type::Double)), "50 01 00 00 00 00 00 00 00 00");
}

TEST_CASE("matrices, sets and dictionaries have the bytes that clients expect") {
    auto plain = makeRef<Matrix>(Vector::of<int32_t>(Type::Int, {1, 2, 3, 4, 5, 6}), 3, 2);
    checkBothWays(
        Value::of(plain),
        "04 03 00 04 03 03 00 00 00 02 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 05 00 00 00 06 "
        "00 00 00");
    auto labelled = makeRef<Matrix>(Vector::of<double>(Type::Double, {1, 2, 3, 4}), 2, 2);
    labelled->rowLabels = vector<int32_t>(Type::Int, {10, 20});
    labelled->columnLabels = strings({"x", "y"});
    checkBothWays(
        Value::of(labelled),
        "10 03 03 04 01 02 00 00 00 01 00 00 00 0a 00 00 00 14 00 00 00 12 01 02 00 00 00 01 00 00 00 78 00 79 "
        "00 10 03 02 00 00 00 02 00 00 00 00 00 00 00 00 00 f0 3f 00 00 00 00 00 00 00 40 00 00 00 00 00 00 08 "
        "40 00 00 00 00 00 00 10 40");

    auto set = makeRef<Set>(Type::Int);
    for (int32_t x : {3, 1, 2}) set->index.insert(Value::ofInt(x));
    // The key that was added last comes first.
    checkBothWays(Value::of(set), "04 04 04 01 03 00 00 00 01 00 00 00 02 00 00 00 01 00 00 00 03 00 00 00");

    auto ints = makeRef<Dictionary>(Type::String, Type::Int, false);
    ints->set(Value::ofString("a"), Value::ofInt(1));
    ints->set(Value::ofString("b"), Value::ofInt(2));
    checkBothWays(
        Value::of(ints),
        "04 05 12 01 02 00 00 00 01 00 00 00 61 00 62 00 04 01 02 00 00 00 01 00 00 00 01 00 00 00 02 00 00 00");

    auto mixed = makeRef<Dictionary>(Type::String, Type::Any, false);
    mixed->set(Value::ofString("a"), Value::ofInt(1));
    mixed->set(Value::ofString("b"), strings({"p", "q"}));
    checkBothWays(
        Value::of(mixed),
        "19 05 12 01 02 00 00 00 01 00 00 00 61 00 62 00 19 01 02 00 00 00 01 00 00 00 04 00 01 00 00 00 12 01 "
        "02 00 00 00 01 00 00 00 70 00 71 00");
}

TEST_CASE("a vector of VOID has no bytes, and a column of IOTANY a vector for each type") {
    checkBothWays(Value::of(Vector::filled(Type::Void, 3, Value())), "00 01 03 00 00 00 01 00 00 00");
    const std::vector<Value> cells{Value::ofInt(7), Value(), Value::ofString("x"), Value::ofInt(8)};
    const std::string header = "29 01 03 00 00 00 01 00 00 00 ";
    const std::string numbers =
        "04 01 0a 00 00 00 01 00 00 00 04 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 "
        "04 00 00 00 00 00 00 00 12 00 00 00 04 00 00 00 ";
    const std::string parts =
        "04 01 02 00 00 00 01 00 00 00 07 00 00 00 08 00 00 00 12 01 01 00 00 00 01 00 00 00 78 00";
    const Value column = Value::of(makeRef<Tuple>(cells, TupleKind::IotAny));
    checkBothWays(column, header + numbers + parts);
    CHECK(columnType(decoded(header + numbers + parts)) == Type::IotAny);
    CHECK_THROWS_AS(encoded(Value::of(makeRef<Tuple>(std::vector<Value>{column}, TupleKind::IotAny))), UserError);
}

TEST_CASE("columns of IOTANY that do not fit themselves are refused") {
    const std::string onePart = "04 01 01 00 00 00 01 00 00 00 07 00 00 00";
    for (const char* numbers : {
             "04 01 01 00 00 00 01 00 00 00 01 00 00 00 ",                                      // no count of parts
             "04 01 04 00 00 00 01 00 00 00 ff ff ff ff 01 00 00 00 00 00 00 00 04 00 00 00 ",  // -1 elements
             "04 01 04 00 00 00 01 00 00 00 ff ff ff 7f 01 00 00 00 00 00 00 00 04 00 00 00 ",  // 2^31 elements
             "04 01 04 00 00 00 01 00 00 00 01 00 00 00 02 00 00 00 00 00 00 00 04 00 00 00 ",  // a part too many
             "04 01 04 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00 04 00 00 00 ",  // behind the part
             "04 01 04 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00 ff ff ff ff 04 00 00 00 ",  // before it
             "04 01 04 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00 05 00 00 00 ",  // a type without a part
             "04 01 04 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00 ff ff ff ff ",  // no type
             "05 01 02 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00 04 00 00 00 ",  // no INT
         }) {
        CHECK_THROWS_AS(decoded("29 01 02 00 00 00 01 00 00 00 " + std::string(numbers) + onePart), UserError);
    }
    CHECK_THROWS_AS(decoded("29 01 00 00 00 00 01 00 00 00"), UserError);
    CHECK_THROWS_AS(decoded("29 03 00 29 03 00 00 00 00 00 00 00 00"), UserError);
    CHECK_THROWS_AS(decoded("00 03 00 00 03 01 00 00 00 01 00 00 00"), UserError);
    CHECK_THROWS_AS(decoded("00 02 02 00 00 00 01 00 00 00"), UserError);
    CHECK_THROWS_AS(decoded("00 04 00 01 02 00 00 00 01 00 00 00"), UserError);
    CHECK_THROWS_AS(decoded("29 00 00"), UserError);
}

TEST_CASE("a table has the bytes that clients expect") {
    auto table = makeRef<MemoryTable>(
        std::vector<std::string>{"id", "sym", "px"},
        std::vector<Value>{vector<int32_t>(Type::Int, {1, 2, 3}), strings({"A", "B", "A"}, Type::Symbol),
                           vector<double>(Type::Double, {1.5, 2.5, null<double>})});
    checkBothWays(
        Value::of(Ref<Table>(table)),
        "00 06 03 00 00 00 03 00 00 00 00 69 64 00 73 79 6d 00 70 78 00 "
        "04 01 03 00 00 00 01 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 "
        "11 01 03 00 00 00 01 00 00 00 41 00 42 00 41 00 "
        "10 01 03 00 00 00 01 00 00 00 00 00 00 00 00 00 f8 3f 00 00 00 00 00 00 04 40 ff ff ff ff ff ff ef ff");
}

TEST_CASE("elements of long vectors are referred to, and the bytes are those of the copying form") {
    constexpr int64_t kRows = 20'000;
    const auto table = makeRef<MemoryTable>();
    table->setColumn("x", Value::of(Vector::filled(Type::Double, kRows, Value::ofDouble(0.5))));
    table->setColumn("s", strings(std::vector<std::string>(kRows, std::string(40, 's'))));
    table->setColumn("y", strings(std::vector<std::string>(kRows, "y"), Type::Symbol));
    table->setColumn("i", Value::of(Vector::filled(Type::Int, kRows, Value::ofInt(7))));
    const Value value = Value::of(Ref<Table>(table));
    GatheredBytes gathered;
    encodeValue(value, Peer::Client, gathered);
    std::string copied;
    encodeValue(value, Peer::Client, copied);
    CHECK(copied == gathered.joined());
    const char* const elements = table->column("x")->vector().raw();
    bool isReferred = false;
    for (const std::string_view piece : gathered.pieces()) isReferred = isReferred || piece.data() == elements;
    CHECK(isReferred);
    // What cannot be sent leaves the message as it was.
    GatheredBytes kept;
    kept.append("before");
    const Value bad = Value::of(makeRef<Tuple>(std::vector<Value>{value, Value::ofString(std::string("\0", 1))}));
    CHECK_THROWS_AS(encodeValue(bad, Peer::Client, kept), UserError);
    CHECK(kept.joined() == "before");
}

TEST_CASE("a table without rows keeps its columns and types") {
    auto table =
        MemoryTable::empty({{"id", Type::Int, 0, ""}, {"sym", Type::Symbol, 0, ""}, {"v", Type::Double, 0, ""}});
    checkBothWays(Value::of(Ref<Table>(table)),
                  "00 06 00 00 00 00 03 00 00 00 00 69 64 00 73 79 6d 00 76 00 "
                  "04 01 00 00 00 00 01 00 00 00 11 01 00 00 00 00 01 00 00 00 10 01 00 00 00 00 01 00 00 00");
}

TEST_CASE("columns compressed with LZ4 are read") {
    CHECK(identical(decoded("1a 01 27 00 00 00 01 00 00 00 00 01 ff 01 10 08 00 00 ff ff ff ff 03 00 00 00 ff ff ff ff "
                            "0f 00 00 00 19 00 01 00 a0 f8 3f 00 00 00 00 00 00 08 40"),
                    vector<double>(Type::Double, {0, 1.5, 3})));
    Ref<Vector> decimals = Vector::of<int32_t>(Type::Decimal32, {100, 200, 300});
    decimals->setScale(2);
    CHECK(identical(decoded("1a 01 25 00 00 00 01 00 00 00 00 01 ff 01 25 04 02 00 ff ff ff ff 03 00 00 00 ff ff ff ff "
                            "0d 00 00 00 c0 64 00 00 00 c8 00 00 00 2c 01 00 00"),
                    Value::of(decimals)));
    CHECK(identical(decoded("1a 01 39 00 00 00 06 00 00 00 00 01 ff 01 44 04 00 00 06 00 00 00 03 00 00 00 ff ff ff ff "
                            "21 00 00 00 f0 10 03 00 01 00 01 02 03 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 05 "
                            "00 00 00 06 00 00 00"),
                    arrayVector({vector<int32_t>(Type::Int, {1}), vector<int32_t>(Type::Int, {2, 3}),
                                 vector<int32_t>(Type::Int, {4, 5, 6})},
                                Type::Int)));
}

TEST_CASE("columns compressed as delta of delta are read, NULLs included") {
    CHECK(identical(decoded("1a 01 30 00 00 00 01 00 00 00 00 01 ff 02 04 04 00 00 ff ff ff ff 03 00 00 00 ff ff ff ff "
                            "18 00 00 00 00 00 00 40 00 00 00 80 ff ff ff ff ff ff 7f 9f 00 00 00 00 00 00 80 ff"),
                    vector<int32_t>(Type::Int, {0, 1, 2})));
    CHECK(identical(decoded("1a 01 30 00 00 00 01 00 00 00 00 01 ff 02 04 04 00 00 ff ff ff ff 06 00 00 00 ff ff ff ff "
                            "18 00 00 00 00 00 00 90 02 00 00 40 ff ff ff ff ff fd 58 46 00 00 00 00 00 fe ff ff"),
                    vector<int32_t>(Type::Int, {null<int32_t>, 5, null<int32_t>, 7, 9, 100})));
}

TEST_CASE("functions go to a client by name and come back as the built-in") {
    // 14 00 00 "size" 00
    const Value f = Value::of(Ref<Function>(const_cast<BuiltinFunction*>([] {
        FunctionRegistry::instance().add("codecProbe(X)", [](Context&, Arguments a) { return a[0]; },
                                         {.summary = "Gives X."}, {.facet = Facet::Public});
        return FunctionRegistry::instance().find("codecProbe");
    }())));
    CHECK(encoded(f) == "14 00 00 63 6f 64 65 63 50 72 6f 62 65 00");
    CHECK(decoded(encoded(f)).function().name() == "codecProbe");
    CHECK_THROWS_WITH(decoded("14 00 00 7a 7a 7a 00"), Catch::Contains("Can't recognize function name zzz"));
}

TEST_CASE("functions travel whole between nodes, and not from clients") {
    FunctionRegistry& registry = FunctionRegistry::instance();
    if (!registry.find("codecSum")) {
        registry.add("codecSum(X, Y)",
                     [](Context&, Arguments a) { return Value::ofLong(a[0].asLong() + a[1].asLong()); },
                     {.summary = "Adds."}, {.facet = Facet::Public});
    }
    Ref<Function> sum(const_cast<BuiltinFunction*>(registry.find("codecSum")));
    const Value partial =
        Value::of(Ref<Function>(makeRef<PartialFunction>(sum, std::vector<Value>{omitted(), Value::ofInt(40)})));
    std::string bytes;
    encodeValue(partial, Peer::Node, bytes);
    StringSource source(bytes);
    const Value back = decodeValue(source, Peer::Node);
    Services services;
    Request request{Principal::owner()};
    Context context(services, request);
    std::vector<Value> arguments{Value::ofInt(2)};
    CHECK(back.function().call(context, arguments).integer() == 42);

    StringSource again(bytes);
    CHECK_THROWS_AS(decodeValue(again, Peer::Client), UserError);
    // 14 00 c8 "partial" 00, then a number in place of the saved parts
    const std::string broken = fromHex("14 00 c8 70 61 72 74 69 61 6c 00 04 00 01 00 00 00");
    StringSource wrong(broken);
    CHECK_THROWS_AS(decodeValue(wrong, Peer::Node), UserError);
}

TEST_CASE("what cannot be sent is refused and leaves the bytes as they were") {
    std::string bytes = "before";
    CHECK_THROWS_AS(
        encodeValue(tuple({Value::ofInt(1), Value::ofString(std::string_view("a\0b", 3))}), Peer::Client, bytes),
        UserError);
    CHECK(bytes == "before");
}

TEST_CASE("sizes that lie cost no memory and end in an error") {
    for (const char* hex : {
             "04 01 ff ff ff 7f 01 00 00 00 01 00 00 00",                 // 2^31 INTs, one arrives
             "12 01 ff ff ff 7f 01 00 00 00 61 00",                       // as many strings
             "19 01 ff ff ff 7f 01 00 00 00 04 00 01 00 00 00",           // as many values
             "20 00 ff ff ff 7f 61",                                      // a BLOB of 2 GiB
             "10 03 00 10 03 ff ff ff 7f ff ff ff 7f",                    // a matrix of 2^62 cells
             "00 06 00 00 00 00 ff ff ff 7f 00",                          // a table of 2^31 columns
             "91 01 01 00 00 00 01 00 00 00 00 00 00 00 ff ff ff 7f 00",  // a symbol base of 2^31
             "44 01 ff ff ff 7f 01 00 00 00 ff ff 04 00 ff ff ff ff",     // rows of 2^32 values
             "04 01 ff ff ff ff 01 00 00 00",                             // negative sizes
         }) {
        CAPTURE(hex);
        const std::string bytes = fromHex(hex);
        StringSource source(bytes);
        CHECK_THROWS_AS(decodeValue(source, Peer::Client), Error);
    }
}

TEST_CASE("items without bytes are charged before they are reserved") {
    // Four VOID vectors of 2^24 elements in a tuple: 50 bytes that would be 1 GB.
    std::string bytes = fromHex("19 01 04 00 00 00 01 00 00 00");
    for (int i = 0; i < 4; ++i) bytes += fromHex("00 01 00 00 00 01 01 00 00 00");
    StringSource source(bytes);
    CHECK_THROWS_AS(decodeValue(source, Peer::Client), UserError);
    CHECK(decoded("00 01 03 00 00 00 01 00 00 00").size() == 3);
    // The cells of a matrix, whose bytes no LONG counts.
    bytes = fromHex("00 03 00 00 03 ff ff ff 7f ff ff ff 7f");
    StringSource cells(bytes);
    CHECK_THROWS_AS(decodeValue(cells, Peer::Client), UserError);
}

TEST_CASE("before login a few plain scalars are read, and symbols are not kept") {
    const auto atLogin = [](std::string_view hex) {
        const std::string bytes = fromHex(hex);
        StringSource source(bytes);
        return decodeValue(source, Peer::Login);
    };
    CHECK(atLogin("12 00 61 62 00").string() == "ab");
    CHECK(atLogin("01 00 01").integer() == 1);
    CHECK(atLogin("04 00 07 00 00 00").integer() == 7);
    CHECK(atLogin("05 00 07 00 00 00 00 00 00 00").integer() == 7);
    CHECK(atLogin("00 00 00").isVoid());
    for (const char* hex : {"11 00 61 00", "12 01 01 00 00 00 01 00 00 00 61 00", "19 01 00 00 00 00 01 00 00 00",
                            "14 00 00 63 6f 64 65 63 50 72 6f 62 65 00", "16 00 3c 31 3e 00", "20 00 00 00 00 00",
                            "10 00 00 00 00 00 00 00 00 00"}) {
        CAPTURE(hex);
        CHECK_THROWS_WITH(atLogin(hex), Catch::Contains("Login is required"));
    }
    DecodeBudget budget(Peer::Login);
    const std::string many(20 * 3, '\0');
    StringSource source(many);
    for (int i = 0; i < kLoginValues; ++i) decodeValue(source, Peer::Login, budget);
    CHECK_THROWS_AS(decodeValue(source, Peer::Login, budget), UserError);
    const std::string long_ = std::string("\x12\0", 2) + std::string(70'000, 'a') + std::string(1, '\0');
    StringSource longSource(long_);
    CHECK_THROWS_AS(decodeValue(longSource, Peer::Login), UserError);
}

TEST_CASE("symbols of a column that turns out broken are not interned") {
    const int32_t before = symbols::count();
    const std::string broken = fromHex(
        "91 01 02 00 00 00 01 00 00 00 00 00 00 00 03 00 00 00 00 6e 65 76 65 72 31 00 6e 65 76 65 72 32 00 "
        "01 00 00 00 09 00 00 00");
    StringSource source(broken);
    CHECK_THROWS_AS(decodeValue(source, Peer::Client), UserError);
    CHECK(symbols::count() == before);
}

TEST_CASE("an empty SYMBOL column may name a base without sending it") {
    CHECK(decoded("91 01 00 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00").type() == Type::Symbol);
    const Value table = decoded(
        "00 06 00 00 00 00 02 00 00 00 00 61 00 62 00 "
        "91 01 00 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 91 01 00 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00");
    CHECK(table.table().columns()[1].type == Type::Symbol);
}

TEST_CASE("NaN is NULL on arrival") {
    CHECK(decoded("10 00 00 00 00 00 00 00 f8 7f").isNull());
    CHECK(decoded("0f 00 00 00 c0 7f").isNull());
    CHECK(decoded("10 01 02 00 00 00 01 00 00 00 00 00 00 e0 ff ff ff ff 00 00 00 00 00 00 f8 3f").at(0).isNull());
    CHECK(decoded("0f 01 01 00 00 00 01 00 00 00 00 00 c0 ff").at(0).isNull());
    CHECK(decoded("50 01 01 00 00 00 01 00 00 00 01 00 01 00 01 00 00 00 00 00 00 f8 7f").at(0).at(0).isNull());
}

TEST_CASE("a tensor keeps its shape") {
    const std::string hex =
        "04 0a 00 00 00 00 00 00 02 00 00 00 02 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 "
        "01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 07 00 00 00 08 00 00 00";
    const Value tensor = decoded(hex);
    REQUIRE(asTensor(tensor));
    CHECK(asTensor(tensor)->shape == std::vector<int64_t>{2, 1});
    CHECK(encoded(tensor) == hex);
    std::string wrong = fromHex(hex);
    wrong[12] = 3;
    StringSource source(wrong);
    CHECK_THROWS_AS(decodeValue(source, Peer::Client), UserError);
}

TEST_CASE("a client's values hold nothing portable, at any depth") {
    // A tuple with a data source in it: FUNCTIONDEF of kind 201.
    const std::string source201 = "14 00 c9 17 64 61 74 61 73 6f 75 72 63 65 00 00 00 00";
    for (const std::string& hex : {source201, "19 01 01 00 00 00 01 00 00 00 " + source201,
                                   std::string("14 00 ca 64 66 73 3a 2f 2f 78 00 74 00")}) {
        const std::string bytes = fromHex(hex);
        StringSource source(bytes);
        CHECK_THROWS_WITH(decodeValue(source, Peer::Client), Catch::Contains("only from nodes"));
        StringSource again(bytes);
        CHECK_THROWS_AS(decodeValue(again, Peer::Login), UserError);
    }
    // An object of one kind in a value of another type is refused from nodes too.
    const std::string wrongType = fromHex("14 00 c9 17 62 75 69 6c 74 69 6e 00 12 00 78 00");
    StringSource source(wrongType);
    CHECK_THROWS_AS(decodeValue(source, Peer::Node), UserError);
}

TEST_CASE("the functions of nodes are found by nodes alone") {
    FunctionRegistry& registry = FunctionRegistry::instance();
    if (!registry.findForNode("codecNodeProbe")) {
        registry.add(
            "codecNodeProbe()", [](Context&, Arguments) { return Value(); }, {.summary = "Nothing."}, kForNodes);
    }
    CHECK(registry.find("codecNodeProbe") == nullptr);
    CHECK_THROWS_AS(registry.get("codecNodeProbe"), UserError);
    const auto names = registry.names();
    CHECK(std::find(names.begin(), names.end(), "codecNodeProbe") == names.end());
    const std::string bytes = fromHex("14 00 00 63 6f 64 65 63 4e 6f 64 65 50 72 6f 62 65 00");
    StringSource client(bytes), node(bytes);
    CHECK_THROWS_WITH(decodeValue(client, Peer::Client), Catch::Contains("Can't recognize function name"));
    CHECK(decodeValue(node, Peer::Node).isFunction());
}

TEST_CASE("nesting is bounded") {
    std::string bytes;
    for (int i = 0; i < 100000; ++i) bytes += fromHex("19 01 01 00 00 00 01 00 00 00");
    StringSource source(bytes);
    CHECK_THROWS_AS(decodeValue(source, Peer::Client), UserError);
}

TEST_CASE("damaged bytes give a value or an error, never a crash") {
    const char* rounds = std::getenv("PELORUS_FUZZ_ROUNDS");
    std::vector<std::string> seeds;
    for (const char* hex : {"00 06 03 00 00 00 03 00 00 00 00 69 64 00 73 79 6d 00 70 78 00 04 01 03 00 00 00 01 00 00 "
                            "00 01 00 00 00 02 00 "
                            "00 00 03 00 00 00 91 01 03 00 00 00 01 00 00 00 00 00 00 00 03 00 00 00 00 41 00 42 00 01 "
                            "00 00 00 02 00 00 00 "
                            "01 00 00 00 10 01 03 00 00 00 01 00 00 00 00 00 00 00 00 00 f8 3f 00 00 00 00 00 00 04 40 "
                            "ff ff ff ff ff ff ef "
                            "ff",
                            "19 05 12 01 02 00 00 00 01 00 00 00 61 00 62 00 19 01 02 00 00 00 01 00 00 00 04 00 01 00 "
                            "00 00 12 01 02 00 00 "
                            "00 01 00 00 00 70 00 71 00",
                            "1a 01 30 00 00 00 01 00 00 00 00 01 ff 02 04 04 00 00 ff ff ff ff 06 00 00 00 ff ff ff ff "
                            "18 00 00 00 00 00 00 "
                            "90 02 00 00 40 ff ff ff ff ff fd 58 46 00 00 00 00 00 fe ff ff",
                            "1a 01 39 00 00 00 06 00 00 00 00 01 ff 01 44 04 00 00 06 00 00 00 03 00 00 00 ff ff ff ff "
                            "21 00 00 00 f0 10 03 "
                            "00 01 00 01 02 03 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 05 00 00 00 06 00 00 00",
                            "04 04 04 01 03 00 00 00 01 00 00 00 03 00 00 00 01 00 00 00 02 00 00 00"}) {
        seeds.push_back(fromHex(hex));
    }
    std::mt19937 random(20240613);
    for (int round = rounds ? std::atoi(rounds) : 20000; round > 0; --round) {
        std::string bytes = seeds[random() % seeds.size()];
        for (int n = 1 + static_cast<int>(random() % 4); n > 0; --n) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        if (random() % 4 == 0) bytes.resize(random() % bytes.size());
        StringSource source(bytes);
        try {
            const Value value = decodeValue(source, Peer::Client);
            std::string again;
            encodeValue(value, Peer::Client, again);
        } catch (const Error&) {
        }
    }
    SUCCEED();
}
